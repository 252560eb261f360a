package ontime.hadoop;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.Set;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.Task;
import org.apache.hadoop.mapreduce.Counter;
import org.apache.hadoop.mapreduce.CounterGroup;
import org.apache.hadoop.mapreduce.StatusReporter;
import org.apache.hadoop.mapreduce.TaskCounter;

/**
 * How the file of a sealed piece begins: its end, then what was counted while it was mapped, because Hadoop forgets the
 * counters of an attempt that has not succeeded.
 */
final class SealedPiece {
  private static final Set<String> TASK_COUNTERS =
      Set.of(TaskCounter.MAP_INPUT_RECORDS.name(), TaskCounter.MAP_OUTPUT_RECORDS.name(),
          TaskCounter.MAP_OUTPUT_BYTES.name(), TaskCounter.MAP_SKIPPED_RECORDS.name());

  private SealedPiece() {}

  static void writeHeader(DataOutputStream out, long end, Counters counted) throws IOException {
    out.writeLong(end);
    kept(counted).write(out);
  }

  /** Adds what was counted to the attempt's own counters. The stream is then where the output begins. */
  static void readHeader(DataInputStream in, long end, StatusReporter reporter) throws IOException {
    if (in.readLong() != end) throw new IOException("Another attempt has sealed another part of the split.");
    org.apache.hadoop.mapreduce.Counters counted = new org.apache.hadoop.mapreduce.Counters();
    counted.readFields(in);
    for (CounterGroup group : counted) {
      for (Counter counter : group) {
        reporter.getCounter(group.getName(), counter.getName()).increment(counter.getValue());
      }
    }
  }

  /** What belongs to the records. Processor time, memory and file systems' traffic are the attempt's own. */
  private static org.apache.hadoop.mapreduce.Counters kept(Counters all) {
    org.apache.hadoop.mapreduce.Counters kept = new org.apache.hadoop.mapreduce.Counters();
    for (Counters.Group group : all) {
      String name = group.getName();
      if (name.equals(Keys.GROUP) || name.contains("FileSystemCounter")) continue;
      for (Counters.Counter counter : group) {
        if (name.equals(TaskCounter.class.getName()) && !TASK_COUNTERS.contains(counter.getName())) continue;
        kept.findCounter(name, counter.getName()).setValue(counter.getValue());
      }
    }
    return kept;
  }

  static Task taskOf(StatusReporter reporter) throws IOException {
    try {
      Field owner = reporter.getClass().getDeclaredField("this$0");
      owner.setAccessible(true);
      return (Task) owner.get(reporter);
    } catch (ReflectiveOperationException | RuntimeException other) {
      throw new IOException("This Hadoop has another reporter than 3.4.", other);
    }
  }

  /** All counters of the task that a reporter belongs to; Hadoop shows them to nobody else in the attempt. */
  static Counters countersOf(StatusReporter reporter) throws IOException {
    try {
      Method counters = Task.class.getDeclaredMethod("getCounters");
      counters.setAccessible(true);
      return (Counters) counters.invoke(taskOf(reporter));
    } catch (ReflectiveOperationException | RuntimeException other) {
      throw new IOException("This Hadoop keeps a task's counters elsewhere than 3.4 does.", other);
    }
  }
}
