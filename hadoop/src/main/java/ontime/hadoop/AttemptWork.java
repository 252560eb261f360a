package ontime.hadoop;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
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
  private volatile long orderedCut = -1;
  private boolean outputBegun;
  private long boundary = -1;  // accepted: no record behind it is mapped

  private AttemptWork(FileSplit part, TaskAttemptContext context) throws IOException {
    this.context = context;
    Configuration conf = context.getConfiguration();
    folder = new SideFolder(conf, context.getTaskAttemptID().getTaskID().getId());
    wait = conf.getTimeDuration(Keys.SEAL_WAIT, 600, TimeUnit.SECONDS, TimeUnit.MILLISECONDS);
    split = part.getStart();
    end = split + part.getLength();
    prefix = folder.follow(split, end);
    begin = prefix.isEmpty() ? split : prefix.get(prefix.size() - 1).end();
    counter(Keys.POSITION).setValue(begin - split);
    if (!prefix.isEmpty()) LOG.info("Resumes at " + begin + " behind " + prefix + " of the split at " + split);
    long poll = conf.getTimeDuration(Keys.POLL, 1000, TimeUnit.MILLISECONDS, TimeUnit.MILLISECONDS);
    Thread thread = new Thread(() -> watchForCut(Math.max(poll, 10)), "ontime-cut");
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
  boolean knowsItsCut() { return orderedCut >= 0; }
  boolean isCut() { return boundary >= 0; }
  long boundary() { return boundary; }

  float progress(double position) { return end == split ? 1 : (float) ((position - split) / (end - split)); }

  /** Everything below is mapped. */
  void reach(long position) { counter(Keys.POSITION).setValue(position - split); }

  /**
   * Every record that starts before `position` has been read: takes a cut that was ordered. Returns up to where records
   * may be read. The promise is durable before it is counted on.
   */
  long limit(long position) throws IOException {
    if (boundary < 0 && orderedCut >= 0 && position < end) acceptCut(Math.max(orderedCut, position));
    return boundary < 0 ? end : boundary;
  }

  private void acceptCut(long at) throws IOException {
    orderedCut = -1;
    boolean promised = at < end && at > begin && folder.accept(begin, at, context.getTaskAttemptID().getId());
    if (promised) boundary = at;
    LOG.info(promised ? "Stops at " + at + " of the split at " + split : "Has nothing to cut at " + at);
    counter(Keys.ACCEPTED).setValue((promised ? at : end) - split);
  }

  private void watchForCut(long poll) {
    int number = context.getTaskAttemptID().getId();
    try {
      while (true) {
        Thread.sleep(poll);
        try {
          long at = folder.orderedCut(number);
          if (at >= 0) {
            orderedCut = split + at;
            return;
          }
        } catch (IOException unavailable) {
          LOG.warn("Could not look for a cut: " + unavailable.getMessage());
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
  }

  void sealed() { counter(Keys.SEALED).setValue(boundary - split); }

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
          throw new IOException("The attempt that mapped " + piece + " ended before it had sealed it; this one began behind.");
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
