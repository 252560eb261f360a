package ontime.hadoop;

import java.io.IOException;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/**
 * A job whose attempts take the time that its seed gives them, a whole split `paced.pace` seconds times the attempt's
 * slowness, and sleep most of it. It writes its input again.
 */
public final class PacedMap extends Configured implements Tool {
  static final String COUNTERS = "paced";

  /** A counter tells when the attempt began its first record, by the machine's clock, and which part it began with. */
  public static final class PacedMapper extends Mapper<LongWritable, Text, Text, NullWritable> {
    private long begun;
    private double nanosPerByte;
    private long bytes;

    @Override
    protected void map(LongWritable offset, Text line, Context context) throws IOException, InterruptedException {
      if (begun == 0) begin(offset.get(), context);
      context.write(line, NullWritable.get());
      bytes += line.getLength() + 1;
      long due = begun + (long) (bytes * nanosPerByte);
      for (long now = System.nanoTime(); now < due; now = System.nanoTime()) LockSupport.parkNanos(due - now);
    }

    private void begin(long offset, Context context) {
      FileSplit split = (FileSplit) context.getInputSplit();
      Configuration conf = context.getConfiguration();
      TaskAttemptID id = context.getTaskAttemptID();
      Luck luck = new Luck(conf.getLong("paced.seed", 1), conf.getDouble("paced.beta", 2),
          conf.getDouble("paced.share", 0), conf.getDouble("paced.factor", 1));
      double slowness = luck.slowness(id.getTaskID().getId(), conf.getInt("mapreduce.job.maps", 1), id.getId());
      nanosPerByte = conf.getDouble("paced.pace", 0) * 1e9 * slowness / split.getLength();
      context.getCounter(COUNTERS, "FIRST_RECORD_MS").setValue(System.currentTimeMillis());
      context.getCounter(COUNTERS, "FROM").setValue(offset - split.getStart());
      begun = System.nanoTime();
    }
  }

  @Override
  public int run(String[] arguments) throws Exception {
    Job job = Job.getInstance(getConf(), getConf().get("paced.name", "paced"));
    job.setJarByClass(PacedMap.class);
    job.setMapperClass(PacedMapper.class);
    job.setNumReduceTasks(0);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(NullWritable.class);
    FileInputFormat.addInputPath(job, new Path(arguments[0]));
    FileOutputFormat.setOutputPath(job, new Path(arguments[1]));
    boolean succeeded = job.waitForCompletion(false);
    System.out.println("Ended " + job.getJobID());
    return succeeded ? 0 : 1;
  }

  public static void main(String[] arguments) throws Exception {
    System.exit(ToolRunner.run(new PacedMap(), arguments));
  }
}
