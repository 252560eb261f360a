package ontime.hadoop;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.InputFormat;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;
import org.apache.hadoop.mapreduce.lib.input.TextInputFormat;
import org.apache.hadoop.util.ReflectionUtils;

/** Around the job's own input format: the same splits and records, but a reader that can be cut and can resume. */
public final class OntimeInputFormat<K, V> extends InputFormat<K, V> {
  @SuppressWarnings("unchecked")
  static <K, V> InputFormat<K, V> wrapped(Configuration conf) {
    return (InputFormat<K, V>) ReflectionUtils.newInstance(
        conf.getClass(Keys.INPUT_FORMAT, TextInputFormat.class, InputFormat.class), conf);
  }

  @Override
  public List<InputSplit> getSplits(JobContext context) throws IOException, InterruptedException {
    return wrapped(context.getConfiguration()).getSplits(context);
  }

  @Override
  public RecordReader<K, V> createRecordReader(InputSplit split, TaskAttemptContext context)
      throws IOException, InterruptedException {
    InputFormat<K, V> format = wrapped(context.getConfiguration());
    if (!Cuttable.is(format, split, context)) return format.createRecordReader(split, context);
    return new PartReader<>(format, (FileSplit) split, context);
  }
}
