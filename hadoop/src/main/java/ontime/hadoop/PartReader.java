package ontime.hadoop;

import java.io.IOException;
import org.apache.hadoop.mapreduce.InputFormat;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;

/**
 * Reads a split as many small splits, one after another, each with the format's own reader. Where one of them ends the
 * work can be cut, because formats read two splits side by side as they read one; nothing else need be known of the
 * reader. Chunks grow to about half a second of work, so opening them costs little, and a slow attempt stops soon.
 */
final class PartReader<K, V> extends RecordReader<K, V> {
  private static final long QUICK_NS = 250_000_000;
  private static final long WANTED_NS = 500_000_000;
  private static final long SLOW_NS = 1_000_000_000;

  private final InputFormat<K, V> format;
  private final FileSplit split;
  private final AttemptWork work;
  private final long smallest;
  private TaskAttemptContext context;
  private RecordReader<K, V> inner;
  private long chunkBegin;
  private long chunkEnd;
  private long chunkBytes;
  private long opened;

  PartReader(InputFormat<K, V> format, FileSplit split, TaskAttemptContext context) throws IOException {
    this.format = format;
    this.split = split;
    work = AttemptWork.begin(split, context);
    smallest = chunkBytes = new Settings(context.getConfiguration()).smallestChunk();
    chunkBegin = chunkEnd = work.begin();
  }

  @Override
  public void initialize(InputSplit same, TaskAttemptContext context) { this.context = context; }

  @Override
  public boolean nextKeyValue() throws IOException, InterruptedException {
    while (inner == null || !inner.nextKeyValue()) {
      if (!openNextChunk()) return false;
    }
    return true;
  }

  private boolean openNextChunk() throws IOException, InterruptedException {
    if (inner != null) {
      close();
      adaptSize(System.nanoTime() - opened);
    }
    work.reach(chunkEnd);
    chunkBegin = chunkEnd;
    chunkEnd = Math.max(chunkBegin, work.claim(chunkBegin + chunkBytes));
    if (chunkBegin == chunkEnd) return false;
    FileSplit chunk = new FileSplit(split.getPath(), chunkBegin, chunkEnd - chunkBegin, split.getLocations());
    opened = System.nanoTime();
    inner = format.createRecordReader(chunk, context);
    inner.initialize(chunk, context);
    return true;
  }

  private void adaptSize(long took) {
    if (took < QUICK_NS) chunkBytes = Math.min(2 * chunkBytes, 1L << 40);
    if (took > SLOW_NS) chunkBytes = Math.max(smallest, (long) ((double) chunkBytes * WANTED_NS / took));
  }

  @Override
  public K getCurrentKey() throws IOException, InterruptedException { return inner.getCurrentKey(); }

  @Override
  public V getCurrentValue() throws IOException, InterruptedException { return inner.getCurrentValue(); }

  /** Of the whole split, so that attempts which resume compare with those that began at its begin. */
  @Override
  public float getProgress() throws IOException, InterruptedException {
    if (inner == null) return work.progress(chunkEnd);
    double position = chunkBegin + Math.min(1, Math.max(0, inner.getProgress())) * (chunkEnd - chunkBegin);
    work.reach((long) position);
    return work.progress(position);
  }

  @Override
  public void close() throws IOException {
    if (inner != null) inner.close();
    inner = null;
  }
}
