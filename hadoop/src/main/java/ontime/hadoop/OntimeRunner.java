package ontime.hadoop;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.YARNRunner;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.security.Credentials;

/**
 * Submits a job to YARN as Hadoop does, but rewrites its job.xml first. At this moment the program has set all that it
 * sets itself, its input format among it, so -D alone could not do it.
 */
final class OntimeRunner extends YARNRunner {
  private final Configuration conf;
  private final Map<JobID, Notice> notices = new ConcurrentHashMap<>();  // of the jobs that it has submitted

  OntimeRunner(Configuration conf) {
    super(conf);
    this.conf = conf;
  }

  @Override
  public JobStatus submitJob(JobID id, String directory, Credentials credentials)
      throws IOException, InterruptedException {
    Path file = new Path(directory, "job.xml");
    FileSystem fs = file.getFileSystem(conf);
    Configuration job = new Configuration(false);
    try (InputStream in = fs.open(file)) {
      job.addResource(in);
      job.size();  // reads the stream now
    }
    JobRewriter.rewrite(job, conf.getClassLoader());
    addSecrets(job, credentials);
    FsPermission permission = fs.getFileStatus(file).getPermission();
    try (OutputStream out = FileSystem.create(fs, file, permission)) {
      job.writeXml(out);
    }
    JobStatus status = super.submitJob(id, directory, credentials);
    notices.put(id, new Notice(conf, new Path(directory)));
    return status;
  }

  /** Clients ask every second or so while they wait for a job. */
  @Override
  public JobStatus getJobStatus(JobID id) throws IOException, InterruptedException {
    Notice notice = notices.get(id);
    if (notice != null) notice.show();
    return super.getJobStatus(id);
  }

  /** They travel with the job's credentials, which job.xml and its readers do not show. */
  private static void addSecrets(Configuration job, Credentials credentials) throws IOException {
    String directory = job.get(Keys.TLS_DIR);
    if (directory != null) {
      addSecret(credentials, Keys.CA, Paths.get(directory, "ca.pem"));
      addSecret(credentials, Keys.CERTIFICATE, Paths.get(directory, "cert.pem"));
      addSecret(credentials, Keys.KEY, Paths.get(directory, "key.pem"));
    }
    String token = job.get(Keys.TOKEN_FILE);
    if (token != null) {
      addSecret(credentials, Keys.TOKEN, Paths.get(token));
    } else if (directory != null && Files.exists(Paths.get(directory, "token"))) {
      addSecret(credentials, Keys.TOKEN, Paths.get(directory, "token"));
    }
  }

  private static void addSecret(Credentials credentials, String name, java.nio.file.Path file) throws IOException {
    credentials.addSecretKey(new Text(name), Files.readAllBytes(file));
  }
}
