package ontime.hadoop;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.io.serializer.Serializer;
import org.apache.hadoop.io.serializer.WritableSerialization;

/**
 * Makes stragglers of any job's map attempts: each key or value that one of them emits takes `ontime.test.slow`
 * microseconds longer, and waits until the file `ontime.test.gate` exists, if one is named. So the stock examples run
 * as they are.
 */
public final class SlowSerialization extends WritableSerialization {
  @Override
  public Serializer<Writable> getSerializer(Class<Writable> type) {
    Serializer<Writable> real = super.getSerializer(type);
    String attempt = getConf().get("mapreduce.task.attempt.id", "");
    long pause = getConf().getLong("ontime.test.slow", 0);
    String gate = getConf().get("ontime.test.gate");
    boolean isSlow = attempt.matches(getConf().get("ontime.test.slow.attempts", ".*_m_000000_0"));
    return isSlow ? new Slow(real, pause, gate == null ? null : new File(gate)) : real;
  }

  private record Slow(Serializer<Writable> real, long pause, File gate) implements Serializer<Writable> {
    @Override
    public void open(OutputStream out) throws IOException { real.open(out); }

    @Override
    public void serialize(Writable value) throws IOException {
      if (Thread.currentThread().getName().equals("main")) {
        LockSupport.parkNanos(1000 * pause);
        while (gate != null && !gate.exists()) LockSupport.parkNanos(50_000_000);
      }
      real.serialize(value);
    }

    @Override
    public void close() throws IOException { real.close(); }
  }
}
