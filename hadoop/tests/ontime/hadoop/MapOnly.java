package ontime.hadoop;

import java.io.IOException;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.MultipleOutputs;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/**
 * A job without reducers, as a user would write one: lines in upper case, and how many there were. Writes them into a
 * subdirectory too.
 */
public final class MapOnly extends Configured implements Tool {
  public static final class Upper extends Mapper<LongWritable, Text, Text, NullWritable> {
    private int lines;
    private MultipleOutputs<Text, NullWritable> below;

    @Override
    protected void setup(Context context) { below = new MultipleOutputs<>(context); }

    @Override
    protected void cleanup(Context context) throws IOException, InterruptedException { below.close(); }

    @Override
    protected void map(LongWritable key, Text line, Context context) throws IOException, InterruptedException {
      Configuration conf = context.getConfiguration();
      if (context.getTaskAttemptID().toString().matches(conf.get("ontime.test.slow.attempts", ".*_m_000000_0"))) {
        LockSupport.parkNanos(1000 * conf.getLong("ontime.test.slow", 0));
        if (++lines == conf.getInt("ontime.test.throw", 0)) throw new IOException("thrown by the test");
        if (lines == 3) waitFor(conf.get("ontime.test.wait"), conf);
      }
      Text upper = new Text(line.toString().toUpperCase());
      context.getCounter("upper", "LINES").increment(1);
      context.write(upper, NullWritable.get());
      below.write(upper, NullWritable.get(), "below/part");
    }

    /** Until there is such a file. */
    private static void waitFor(String file, Configuration conf) throws IOException {
      while (file != null && !FileSystem.get(conf).exists(new Path(file))) LockSupport.parkNanos(50_000_000);
    }
  }

  @Override
  public int run(String[] arguments) throws Exception {
    Job job = Job.getInstance(getConf(), "upper case");
    job.setJarByClass(MapOnly.class);
    job.setMapperClass(Upper.class);
    job.setNumReduceTasks(0);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(NullWritable.class);
    FileInputFormat.addInputPath(job, new Path(arguments[0]));
    FileOutputFormat.setOutputPath(job, new Path(arguments[1]));
    return job.waitForCompletion(true) ? 0 : 1;
  }

  public static void main(String[] arguments) throws Exception {
    System.exit(ToolRunner.run(new MapOnly(), arguments));
  }
}
