package ontime.hadoop;

/** The properties of a job that Ontime reads, and those by which its parts tell each other something. */
final class Keys {
  static final String FRAMEWORK = "ontime";  // of mapreduce.framework.name

  // What users set (docs/hadoop.md).
  static final String MASTER = "ontime.master";
  static final String DEADLINE = "ontime.deadline";
  static final String POLICY = "ontime.policy";
  static final String KILL_ON_MISS = "ontime.kill-on-miss";
  static final String TLS_DIR = "ontime.tls.dir";
  static final String TOKEN_FILE = "ontime.token.file";
  static final String CUT_FORMATS = "ontime.cut.formats";
  static final String POLL = "ontime.poll";
  static final String CHUNK_MIN = "ontime.chunk.min";
  static final String SEAL_WAIT = "ontime.seal.wait";

  // What JobRewriter sets.
  static final String INPUT_FORMAT = "ontime.job.inputformat.class";
  static final String OUTPUT_FORMAT = "ontime.job.outputformat.class";
  static final String MAX_ATTEMPTS = "ontime.job.map.maxattempts";
  static final String RESUMABLE = "ontime.job.resumable";

  // Secrets among the job's credentials.
  static final String TOKEN = "ontime.token";
  static final String CA = "ontime.ca.pem";
  static final String CERTIFICATE = "ontime.cert.pem";
  static final String KEY = "ontime.key.pem";

  // Counters by which an attempt tells the application master how far it is. Offsets count from the split's begin.
  static final String GROUP = "ontime";
  static final String POSITION = "POSITION";
  static final String MAPPING_MS = "MAPPING_MS";  // since its first record
  static final String ACCEPTED = "ACCEPTED";
  static final String SEALED = "SEALED";

  private Keys() {}
}
