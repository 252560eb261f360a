package ontime.hadoop;

import com.google.protobuf.ByteString;
import java.io.IOException;
import java.util.List;
import ontime.wire.Advise.AttemptEvent;
import org.apache.hadoop.mapreduce.v2.api.records.TaskAttemptId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What has happened to one attempt of a map task, and how much of it the daemon has been told on this connection. */
final class AttemptRecord {
  private static final Logger LOG = LoggerFactory.getLogger(AttemptRecord.class);

  final TaskAttemptId id;
  final long started;  // by the application master's clock
  final String node;
  long begin;            // as the daemon knows it; offsets count from the split's begin
  boolean cutOrdered;
  int order;
  long position = -1;
  long mappingMs;
  long records;
  long accepted = -1;
  long sealed = -1;
  boolean endOrdered;
  String message = "";
  AttemptEvent.Outcome outcome = AttemptEvent.Outcome.OUTCOME_NONE;

  private boolean saidStarted;
  private boolean saidCut;
  private boolean saidSealed;
  private boolean saidEnded;
  private boolean hasReport;
  private boolean lookFailed;

  AttemptRecord(TaskAttemptId id, long started, String node) {
    this.id = id;
    this.started = started;
    this.node = node == null ? "" : node;
  }

  int task() { return id.getTaskId().getId(); }

  boolean isLive() { return outcome == AttemptEvent.Outcome.OUTCOME_NONE; }

  void report() { hasReport = true; }

  /** The file system does not tell whether it has sealed its part. */
  void lookFailed(IOException why) {
    if (!lookFailed) LOG.warn("{} has ended; its part of the split is not known yet: {}", id, why.getMessage());
    lookFailed = true;
  }

  void sayAgain() {
    saidStarted = saidCut = saidSealed = saidEnded = false;
    hasReport = position >= 0;
  }

  void addNews(List<AttemptEvent> to, long now) {
    if (!saidStarted) {
      AttemptEvent.Started.Builder started = AttemptEvent.Started.newBuilder().setOrder(order).setBegin(begin)
          .setNode(ByteString.copyFromUtf8(node)).setAgeNs(Math.max(0, now - this.started) * 1_000_000);
      to.add(event().setStarted(started).build());
      saidStarted = true;
    }
    if (hasReport && position >= 0 && !saidSealed) {
      to.add(event().setProgress(AttemptEvent.Progress.newBuilder().setOffset(position).setRecords(records)
          .setMappingNs(mappingMs * 1_000_000)).build());
      hasReport = false;
    }
    if (accepted >= 0 && !saidCut) {
      to.add(event().setCut(AttemptEvent.Cut.newBuilder().setAt(accepted)).build());
      saidCut = true;
    }
    if (sealed >= 0 && !saidSealed) {
      to.add(event().setSealed(AttemptEvent.Sealed.newBuilder().setAt(sealed).setRecords(records)).build());
      saidSealed = true;
    }
    if (!isLive() && !saidEnded) {
      to.add(event().setEnded(AttemptEvent.Ended.newBuilder().setOutcome(outcome).setRecords(records)
          .setMessage(ByteString.copyFromUtf8(message))).build());
      saidEnded = true;
    }
  }

  private AttemptEvent.Builder event() { return AttemptEvent.newBuilder().setTask(task()).setAttempt(id.getId()); }
}
