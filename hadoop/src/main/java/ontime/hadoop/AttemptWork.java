package ontime.hadoop;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.Task;
import org.apache.hadoop.mapred.TaskStatus;
import org.apache.hadoop.mapreduce.Counter;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one attempt maps: its split from where the attempts before it are to seal, up to a cut. Shared by its reader and
 * its output, which Hadoop makes apart. Offsets are those of the file.
 */
final class AttemptWork {
  private static final Logger LOG = LoggerFactory.getLogger(AttemptWork.class);
  private static final Map<TaskAttemptID, AttemptWork> OF = new ConcurrentHashMap<>();

  private final SideFolder folder;
  private final TaskAttemptContext context;
  private final List<SideFolder.Piece> prefix;
  private final long split;  // its begin
  private final long begin;
  private final long end;
  private final long wait;
  private boolean hasBegun;
  private long begunAt;
  private boolean outputBegun;
  private boolean hasWriter;
  private long claimed;        // up to here the reader reads on, whatever is ordered
  private long asked = -1;     // a cut that is not answered yet, at `claimed` or behind it
  private long boundary = -1;  // promised: no record behind it is mapped

  private AttemptWork(FileSplit part, TaskAttemptContext context) throws IOException {
    this.context = context;
    Configuration conf = context.getConfiguration();
    folder = new SideFolder(conf, context.getTaskAttemptID().getTaskID().getId());
    Settings settings = new Settings(conf);
    wait = settings.sealWaitMs();
    split = part.getStart();
    end = split + part.getLength();
    prefix = folder.follow(split, end);
    begin = claimed = prefix.isEmpty() ? split : prefix.get(prefix.size() - 1).end();
    counter(Keys.POSITION).setValue(begin - split);
    if (!prefix.isEmpty()) LOG.info("Resumes at " + begin + " behind " + prefix + " of the split at " + split);
    Thread thread = new Thread(() -> watchForCut(settings.pollMs()), "ontime-cut");
    thread.setDaemon(true);
    thread.start();
  }

  static AttemptWork begin(FileSplit part, TaskAttemptContext context) throws IOException {
    AttemptWork work = new AttemptWork(part, context);
    OF.put(context.getTaskAttemptID(), work);
    return work;
  }

  /** Null if the attempt maps its split as Hadoop would. */
  static AttemptWork of(TaskAttemptID attempt) { return OF.get(attempt); }

  SideFolder folder() { return folder; }
  List<SideFolder.Piece> prefix() { return prefix; }
  long begin() { return begin; }
  long end() { return end; }
  synchronized boolean isCut() { return boundary >= 0; }
  synchronized long boundary() { return boundary; }

  float progress(double position) { return end == split ? 1 : (float) ((position - split) / (end - split)); }

  /** Everything below is mapped. Reports come late; so that they show how fast that was, they say how long it took. */
  void reach(long position) {
    counter(Keys.POSITION).setValue(position - split);
    if (hasBegun) counter(Keys.MAPPING_MS).setValue((System.nanoTime() - begunAt) / 1_000_000);
  }

  /** The reader is about to read on. Returns up to where it may: `until`, or a cut before it. */
  synchronized long claim(long until) throws IOException {
    if (!hasBegun) begunAt = System.nanoTime();
    hasBegun = true;
    if (asked >= 0) answer();
    claimed = Math.min(boundary < 0 ? end : boundary, until);
    return claimed;
  }

  /**
   * Promises to stop at the cut, or behind what the reader has claimed. That can be answered at once, however long the
   * reader, the mapper or the sort take for what is claimed.
   */
  private synchronized void take(long cut) throws IOException {
    asked = Math.max(cut, claimed);
    answer();
  }

  /** The promise is durable before it is counted on. If it cannot be written the reader does not get beyond it. */
  private void answer() throws IOException {
    boolean promised = asked < end && asked > begin && folder.accept(begin, asked, context.getTaskAttemptID().getId());
    if (promised) boundary = asked;
    LOG.info(promised ? "Stops at {} of the split at {}" : "Has nothing to cut at {} of the split at {}", asked, split);
    counter(Keys.ACCEPTED).setValue((promised ? asked : end) - split);
    asked = -1;
    context.progress();  // otherwise Hadoop reports the counter when the mapper next emits something
  }

  private void watchForCut(long poll) {
    int number = context.getTaskAttemptID().getId();
    try {
      while (true) {
        Thread.sleep(poll);
        try {
          long at = folder.orderedCut(number);
          if (at >= 0) {
            take(split + at);
            return;
          }
        } catch (IOException unavailable) {
          LOG.warn("Could not take a cut: " + unavailable.getMessage());
        }
      }
    } catch (InterruptedException ends) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Hadoop closes the output of a mapper that has thrown as it closes any other. What such a mapper has written must
   * not be sealed, nor what could not be written at the first try.
   */
  void beginOutput(Task task) throws IOException {
    boolean mapped = task.getPhase() == TaskStatus.Phase.SORT;
    if (outputBegun || !mapped) throw new IOException("The mapper or its output has failed.");
    outputBegun = true;
    claim(end);  // a mapper may have read less: a cut comes too late now
  }

  /** Once: Hadoop makes the job's own writer first, MultipleOutputs makes others through the same output format. */
  boolean takeWriter() {
    boolean first = !hasWriter;
    hasWriter = true;
    return first;
  }

  /** The written file is what was promised. Another attempt that began here may have sealed its own first. */
  void seal(Path written) throws IOException {
    if (!folder.seal(written, begin) && folder.sealedEnd(begin) != boundary) {
      throw new IOException("Another attempt has sealed another part of the split, so this one's is of no use.");
    }
    counter(Keys.SEALED).setValue(boundary - split);
  }

  /** The application master ends a sealed attempt. It must not succeed: it has mapped a part of its split only. */
  void awaitEnd() throws IOException {
    long until = System.currentTimeMillis() + wait;
    while (System.currentTimeMillis() < until) pause();
    throw new IOException("This attempt has sealed its part of the split, and nobody has ended it.");
  }

  /** Until every part of the prefix is sealed as its attempt has promised. Fails if one never will be. */
  void awaitPrefix() throws IOException {
    long until = System.currentTimeMillis() + wait;
    for (SideFolder.Piece piece : prefix) {
      while (folder.sealedEnd(piece.begin()) != piece.end()) {
        if (System.currentTimeMillis() >= until || folder.accepted(piece.begin()) != piece.end()) {
          // It may have been sealed and withdrawn since the first look.
          if (folder.sealedEnd(piece.begin()) == piece.end()) break;
          throw new IOException("Nobody will seal " + piece + ", behind which this attempt began.");
        }
        pause();
      }
    }
  }

  private void pause() throws IOException {
    context.progress();
    try {
      Thread.sleep(200);
    } catch (InterruptedException ends) {
      Thread.currentThread().interrupt();
      throw new IOException("This attempt is being ended.", ends);
    }
  }

  private Counter counter(String name) { return context.getCounter(Keys.GROUP, name); }
}
