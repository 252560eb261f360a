package ontime.hadoop;

import com.google.protobuf.ByteString;
import java.io.IOException;
import ontime.wire.Advise.ToAdvisor;
import ontime.wire.Types.Entry;
import ontime.wire.Types.JobSettings;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.InputFormat;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;
import org.apache.hadoop.mapreduce.split.JobSplit.TaskSplitMetaInfo;
import org.apache.hadoop.mapreduce.split.SplitMetaInfoReader;
import org.apache.hadoop.mapreduce.task.JobContextImpl;

/** What the daemon is told of a job: its deadline, its policy, and the splits that its submission has left in files. */
final class JobFacts {
  private static final long NS_PER_MS = 1_000_000;

  private final ToAdvisor.Job job;
  private final long begun;  // from when its deadline counts

  JobFacts(Configuration conf, JobID id, String user, long begun) throws IOException {
    this.begun = begun;
    Settings settings = new Settings(conf);
    JobSettings.Builder asked = JobSettings.newBuilder()
        .setName(bytes(shortened(conf.get(MRJobConfig.JOB_NAME, ""))))
        .setPolicy(bytes(settings.policy()))
        .setDeadline(settings.deadlineMs() * NS_PER_MS)
        .setKillOnMiss(conf.getBoolean(Keys.KILL_ON_MISS, false));
    settings.policyParameters().forEach((key, value) -> asked.addPolicyParameters(
        Entry.newBuilder().setKey(bytes(key)).setValue(bytes(value))));
    ToAdvisor.Job.Builder job = ToAdvisor.Job.newBuilder().setId(bytes(id.toString()))
        .setApplication(bytes(shortened("hadoop:" + conf.get(MRJobConfig.MAP_CLASS_ATTR, "mapper"))))
        .setUser(bytes(user)).setSettings(asked)
        .setHasReducers(conf.getInt(MRJobConfig.NUM_REDUCES, 1) > 0);
    job.setResumable(addTasks(job, conf, id) && conf.getBoolean(Keys.RESUMABLE, false));
    this.job = job.build();
  }

  boolean isResumable() { return job.getResumable(); }

  boolean hasReducers() { return job.getHasReducers(); }

  int tasks() { return job.getTasksCount(); }

  long length(int task) { return job.getTasks(task).getLength(); }

  long begin(int task) { return job.getTasks(task).getBegin(); }

  ToAdvisor message(long now) {
    long elapsed = Math.max(0, now - begun) * NS_PER_MS;
    return ToAdvisor.newBuilder().setJob(job.toBuilder().setElapsedNs(elapsed)).build();
  }

  /** Whether all of them can be cut. */
  private static boolean addTasks(ToAdvisor.Job.Builder job, Configuration conf, JobID id) throws IOException {
    Path directory = new Path(conf.get(MRJobConfig.MAPREDUCE_JOB_DIR));
    FileSystem fs = directory.getFileSystem(conf);
    JobContext context = new JobContextImpl(conf, id);
    InputFormat<?, ?> format = OntimeInputFormat.wrapped(conf);
    boolean cuttable = true;
    String before = "";
    for (TaskSplitMetaInfo info : SplitMetaInfoReader.readSplitMetaInfo(id, fs, conf, directory)) {
      FileSplit split = read(fs, info);
      cuttable = cuttable && split != null && Cuttable.is(format, split, context);
      ToAdvisor.Task.Builder task = ToAdvisor.Task.newBuilder().setLength(Math.max(1, info.getInputDataLength()));
      String path = split == null ? info.getSplitIndex().getSplitLocation() : split.getPath().toString();
      if (!path.equals(before)) task.setPath(bytes(shortened(path)));
      if (split != null) task.setBegin(split.getStart());
      job.addTasks(task);
      before = path;
    }
    return cuttable;
  }

  /** Null if it is no FileSplit. */
  private static FileSplit read(FileSystem fs, TaskSplitMetaInfo info) throws IOException {
    try (FSDataInputStream in = fs.open(new Path(info.getSplitIndex().getSplitLocation()))) {
      in.seek(info.getSplitIndex().getStartOffset());
      if (!Text.readString(in).equals(FileSplit.class.getName())) return null;
      FileSplit split = new FileSplit();
      split.readFields(in);
      return split;
    }
  }

  private static String shortened(String text) { return text.length() <= 1000 ? text : text.substring(0, 1000); }

  private static ByteString bytes(String text) { return ByteString.copyFromUtf8(text); }
}
