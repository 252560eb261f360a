package ontime.hadoop;

import java.io.IOException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.OutputCommitter;
import org.apache.hadoop.mapreduce.OutputFormat;
import org.apache.hadoop.mapreduce.RecordWriter;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.output.FileOutputCommitter;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.TextOutputFormat;
import org.apache.hadoop.util.ReflectionUtils;

/**
 * Around the output format of a job without reducers: its files, but what was mapped before a cut in files of its own.
 */
public final class OntimeOutputFormat<K, V> extends OutputFormat<K, V> {
  private OutputCommitter committer;

  @SuppressWarnings("unchecked")
  private OutputFormat<K, V> wrapped(JobContext context) {
    return (OutputFormat<K, V>) ReflectionUtils.newInstance(
        context.getConfiguration().getClass(Keys.OUTPUT_FORMAT, TextOutputFormat.class, OutputFormat.class),
        context.getConfiguration());
  }

  @Override
  public RecordWriter<K, V> getRecordWriter(TaskAttemptContext context) throws IOException, InterruptedException {
    RecordWriter<K, V> writer = wrapped(context).getRecordWriter(context);
    AttemptWork work = AttemptWork.of(context.getTaskAttemptID());
    if (work == null || !work.takeWriter()) return writer;
    return new PieceWriter<>(writer, work, ((FileOutputCommitter) getOutputCommitter(context)).getWorkPath());
  }

  @Override
  public void checkOutputSpecs(JobContext context) throws IOException, InterruptedException {
    wrapped(context).checkOutputSpecs(context);
  }

  @Override
  public synchronized OutputCommitter getOutputCommitter(TaskAttemptContext context) throws IOException {
    if (committer == null) {
      Path output = FileOutputFormat.getOutputPath(context);
      committer = new OntimeCommitter(output, context);
    }
    return committer;
  }
}
