package ontime.hadoop;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.MapTask;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.input.TextInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.TextOutputFormat;

/** What the configuration of a job needs, so that its attempts can be cut and resumed. */
final class JobRewriter {
  // Attempts that a policy ends count as failed. Failures fails the task after as many real failures as before.
  private static final int ENOUGH_ATTEMPTS = 100_000;

  private JobRewriter() {}

  static void rewrite(Configuration job, ClassLoader loader) throws IOException {
    new Settings(job).check();
    job.setClassLoader(loader);
    job.set(MRConfig.FRAMEWORK_NAME, MRConfig.YARN_FRAMEWORK_NAME);
    job.set(MRJobConfig.MR_AM_JOB_SPECULATOR, "ontime.hadoop.OntimeSpeculator");  // clients need not have its interface
    job.setBoolean(MRJobConfig.MAP_SPECULATIVE, true);  // otherwise there is no Speculator
    job.setInt(Keys.MAX_ATTEMPTS, job.getInt(MRJobConfig.MAP_MAX_ATTEMPTS, 4));
    job.setInt(MRJobConfig.MAP_MAX_ATTEMPTS, ENOUGH_ATTEMPTS);
    job.setBoolean(MRJobConfig.MR_AM_JOB_NODE_BLACKLISTING_ENABLE, false);
    job.set(MRJobConfig.TASK_PROGRESS_REPORT_INTERVAL, job.get(MRJobConfig.TASK_PROGRESS_REPORT_INTERVAL, "1000"));
    boolean resumable = job.getBoolean("mapred.mapper.new-api", false) && wrapOutput(job);
    job.setBoolean(Keys.RESUMABLE, resumable);
    if (!resumable) return;
    job.set(Keys.INPUT_FORMAT, job.get(MRJobConfig.INPUT_FORMAT_CLASS_ATTR, TextInputFormat.class.getName()));
    job.set(MRJobConfig.INPUT_FORMAT_CLASS_ATTR, OntimeInputFormat.class.getName());
  }

  /** False if what is written before a cut could not be given to those who resume. */
  private static boolean wrapOutput(Configuration job) {
    return job.getInt(MRJobConfig.NUM_REDUCES, 1) > 0 ? wrapCollector(job) : wrapOutputFormat(job);
  }

  private static boolean wrapCollector(Configuration job) {
    String standard = MapTask.MapOutputBuffer.class.getName();
    if (!job.get(MRJobConfig.MAP_OUTPUT_COLLECTOR_CLASS_ATTR, standard).equals(standard)) return false;
    if (job.getBoolean(MRJobConfig.MR_ENCRYPTED_INTERMEDIATE_DATA, false)) return false;
    job.set(MRJobConfig.MAP_OUTPUT_COLLECTOR_CLASS_ATTR, OntimeCollector.class.getName());
    return true;
  }

  private static boolean wrapOutputFormat(Configuration job) {
    Class<?> format = job.getClass(MRJobConfig.OUTPUT_FORMAT_CLASS_ATTR, TextOutputFormat.class);
    if (!commitsFiles(job, format)) return false;
    job.set(Keys.OUTPUT_FORMAT, format.getName());
    job.set(MRJobConfig.OUTPUT_FORMAT_CLASS_ATTR, OntimeOutputFormat.class.getName());
    return true;
  }

  /** Whether its files are committed by Hadoop's FileOutputCommitter, and not by one of a store or of its own. */
  private static boolean commitsFiles(Configuration job, Class<?> format) {
    String output = job.get(FileOutputFormat.OUTDIR);
    if (output == null || job.get("mapreduce.outputcommitter.factory.class") != null) return false;
    String scheme = new Path(output).toUri().getScheme();
    if (scheme != null && job.get("mapreduce.outputcommitter.factory.scheme." + scheme) != null) return false;
    try {
      return format.getMethod("getOutputCommitter", TaskAttemptContext.class).getDeclaringClass()
          == FileOutputFormat.class;
    } catch (NoSuchMethodException none) {
      return false;
    }
  }
}
