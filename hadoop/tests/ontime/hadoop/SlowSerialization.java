package ontime.hadoop;

import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.io.serializer.Serializer;
import org.apache.hadoop.io.serializer.WritableSerialization;

/**
 * Makes stragglers of any job's map attempts: each key or value that one of them emits takes `ontime.test.slow`
 * microseconds longer. So the stock examples run as they are.
 */
public final class SlowSerialization extends WritableSerialization {
  @Override
  public Serializer<Writable> getSerializer(Class<Writable> type) {
    Serializer<Writable> real = super.getSerializer(type);
    String attempt = getConf().get("mapreduce.task.attempt.id", "");
    long pause = getConf().getLong("ontime.test.slow", 0);
    return attempt.matches(getConf().get("ontime.test.slow.attempts", ".*_m_000000_0")) ? new Slow(real, pause) : real;
  }

  private record Slow(Serializer<Writable> real, long pause) implements Serializer<Writable> {
    @Override
    public void open(OutputStream out) throws IOException { real.open(out); }

    @Override
    public void serialize(Writable value) throws IOException {
      if (Thread.currentThread().getName().equals("main")) LockSupport.parkNanos(1000 * pause);
      real.serialize(value);
    }

    @Override
    public void close() throws IOException { real.close(); }
  }
}
