package ontime.hadoop;

import com.google.protobuf.ByteString;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import ontime.wire.Advise.AdviceOrder;
import ontime.wire.Advise.AttemptEvent;
import ontime.wire.Advise.ToAdvisor;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.TypeConverter;
import org.apache.hadoop.mapreduce.v2.api.records.JobId;
import org.apache.hadoop.mapreduce.v2.api.records.JobState;
import org.apache.hadoop.mapreduce.v2.api.records.TaskAttemptId;
import org.apache.hadoop.mapreduce.v2.api.records.TaskAttemptState;
import org.apache.hadoop.mapreduce.v2.api.records.TaskType;
import org.apache.hadoop.mapreduce.v2.app.AppContext;
import org.apache.hadoop.mapreduce.v2.app.job.Job;
import org.apache.hadoop.mapreduce.v2.app.job.Task;
import org.apache.hadoop.mapreduce.v2.app.job.TaskAttempt;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The attempts of a job's map tasks: what Hadoop says of them, and what the daemon is told and orders. */
final class MapAttempts {
  private static final Logger LOG = LoggerFactory.getLogger(MapAttempts.class);
  private static final int EVENTS_MAX = 9000;  // in one message; the daemon takes 10,000, and an attempt adds up to 5

  private final Configuration conf;
  private final AppContext context;
  private final JobId id;
  private final JobFacts facts;
  private final Orders orders;
  private final Map<TaskAttemptId, AttemptRecord> all = new LinkedHashMap<>();
  private final Set<AttemptRecord> live = new LinkedHashSet<>();
  private final List<AttemptRecord> unsaid = new ArrayList<>();  // ended since the daemon was told
  private int saidDropped;  // of the orders that will not be carried out

  MapAttempts(Configuration conf, AppContext context, JobId id, Failures failures) throws IOException {
    this.conf = conf;
    this.context = context;
    this.id = id;
    // Not since it was submitted: what it has waited in YARN's queue is no lateness.
    facts = new JobFacts(conf, TypeConverter.fromYarn(id), context.getUser().toString(), context.getStartTime());
    orders = new Orders(context, id, failures);
    withdrawUnsealed();
  }

  /** No attempt outlives its application master, so what was promised under an earlier one will not be sealed. */
  private void withdrawUnsealed() throws IOException {
    Path root = SideFolder.root(conf);
    FileSystem fs = root.getFileSystem(conf);
    if (!fs.exists(root)) return;
    for (FileStatus cut : fs.globStatus(new Path(root, "task-*/cut-*"))) fs.delete(cut.getPath(), false);
    for (FileStatus accepted : fs.globStatus(new Path(root, "task-*/accepted-*"))) {
      Path path = accepted.getPath();
      Path sealed = new Path(path.getParent(), path.getName().replace("accepted-", "sealed-"));
      if (!fs.exists(sealed)) fs.delete(path, false);
    }
  }

  /** Where an attempt begins that Hadoop starts now. */
  private long beginOfNext(int task) {
    long split = facts.begin(task);
    try {
      List<SideFolder.Piece> pieces = new SideFolder(conf, task).follow(split, split + facts.length(task));
      return pieces.isEmpty() ? 0 : pieces.get(pieces.size() - 1).end() - split;
    } catch (IOException unavailable) {
      return 0;
    }
  }

  void started(TaskAttemptId attempt, long now) {
    Task task = job().getTask(attempt.getTaskId());
    TaskAttempt of = task == null ? null : task.getAttempt(attempt);
    AttemptRecord record = new AttemptRecord(attempt, now, of == null ? null : of.getNodeHttpAddress());
    if (all.putIfAbsent(attempt, record) != null) return;
    live.add(record);
    orders.attemptStarted(record);
    if (record.order == 0 && attempt.getId() > 0) record.begin = beginOfNext(record.task());
  }

  void reported(TaskAttemptId attempt, MapReport report) {
    AttemptRecord record = all.get(attempt);
    if (record == null || !record.isLive()) return;
    long length = facts.length(record.task());
    if (report.hasPosition) {
      record.position = Math.min(length, report.position);
      if (report.accepted > 0) record.accepted = report.accepted;
      if (report.sealed > 0) seal(record, report.sealed);
    } else {
      double share = facts.hasReducers() ? report.progress / 0.667 : report.progress;
      record.position = Math.max(record.begin, (long) (Math.min(1, share) * length));
    }
    record.mappingMs = report.mappingMs;
    record.records = report.records;
    record.report();
  }

  private void seal(AttemptRecord record, long end) {
    if (record.sealed >= 0) return;
    record.sealed = end;
    orders.end(record, "It has sealed what it mapped up to its cut.");
  }

  /** Hadoop says nothing when an attempt ends, so it is asked. */
  void look() {
    for (AttemptRecord record : new ArrayList<>(live)) {
      TaskAttempt attempt = attempt(record);
      if (attempt == null || !isOver(attempt.getState())) continue;
      try {
        ended(record, attempt);
      } catch (IOException unavailable) {
        record.lookFailed(unavailable);  // it stays among the live ones, so the next look tries again
      }
    }
    orders.retry();
  }

  private static boolean isOver(TaskAttemptState state) {
    return state == TaskAttemptState.SUCCEEDED || state == TaskAttemptState.FAILED || state == TaskAttemptState.KILLED;
  }

  private void ended(AttemptRecord record, TaskAttempt attempt) throws IOException {
    AttemptEvent.Outcome outcome = switch (attempt.getState()) {
      case SUCCEEDED -> AttemptEvent.Outcome.SUCCEEDED;
      case FAILED -> record.endOrdered ? AttemptEvent.Outcome.KILLED : AttemptEvent.Outcome.FAILED;
      default -> AttemptEvent.Outcome.KILLED;
    };
    if (outcome != AttemptEvent.Outcome.SUCCEEDED) findSeal(record);
    record.outcome = outcome;
    live.remove(record);
    unsaid.add(record);
    if (outcome != AttemptEvent.Outcome.FAILED) return;
    record.message = attempt.getDiagnostics().isEmpty() ? "failed" : shortened(attempt.getDiagnostics().get(0));
  }

  /** It may have sealed its part without having had time to say so. If not, those who began behind it learn of it. */
  private void findSeal(AttemptRecord record) throws IOException {
    if (record.sealed >= 0 || !record.cutOrdered) return;
    long split = facts.begin(record.task());
    SideFolder folder = new SideFolder(conf, record.task());
    SideFolder.Piece piece = folder.promisedBy(record.id.getId());
    if (piece == null) return;
    if (folder.sealedEnd(piece.begin()) == piece.end()) {
      record.accepted = record.sealed = piece.end() - split;
      return;
    }
    folder.withdraw(piece.begin());
    for (AttemptRecord behind : live) {
      if (behind.task() != record.task() || behind.begin < piece.end() - split) continue;
      orders.end(behind, "The part before its begin was lost.");  // it would fail, though not of its own fault
    }
  }

  boolean areResumable() { return facts.isResumable(); }

  // What the daemon is told.

  void sayAll(Daemon daemon) { daemon.send(facts.message(context.getClock().getTime())); }

  void sayAttempts(Daemon daemon) {
    addRecovered();
    for (AttemptRecord record : all.values()) record.sayAgain();
    saidDropped = 0;
    say(daemon, all.values());
    unsaid.clear();
    daemon.send(ToAdvisor.newBuilder().setSynchronised(ToAdvisor.Synchronised.newBuilder()).build());
  }

  void sayNews(Daemon daemon) {
    List<AttemptRecord> changed = new ArrayList<>(live);
    changed.addAll(unsaid);
    unsaid.clear();
    say(daemon, changed);
    daemon.send(ToAdvisor.newBuilder().setAlive(ToAdvisor.Alive.newBuilder()).build());
  }

  private void say(Daemon daemon, Iterable<AttemptRecord> records) {
    long now = context.getClock().getTime();
    List<AttemptEvent> events = new ArrayList<>();
    for (AttemptRecord record : records) {
      record.addNews(events, now);
      if (events.size() >= EVENTS_MAX) send(daemon, events);
    }
    addDropped(events);
    if (!events.isEmpty()) send(daemon, events);
  }

  private void addDropped(List<AttemptEvent> events) {
    List<AdviceOrder.AddAttempt> dropped = orders.dropped();
    for (; saidDropped < dropped.size() && events.size() < EVENTS_MAX; ++saidDropped) {
      AdviceOrder.AddAttempt order = dropped.get(saidDropped);
      events.add(AttemptEvent.newBuilder().setTask(order.getTask()).setEnded(AttemptEvent.Ended.newBuilder()
          .setOutcome(AttemptEvent.Outcome.KILLED).setOrder(order.getOrder())).build());
    }
  }

  private static void send(Daemon daemon, List<AttemptEvent> events) {
    daemon.send(ToAdvisor.newBuilder().setEvents(ToAdvisor.Events.newBuilder().addAllEvents(events)).build());
    events.clear();
  }

  void sayEnd(Daemon daemon) {
    sayNews(daemon);
    JobState state = job().getState();
    if (state != JobState.SUCCEEDED && state != JobState.FAILED && state != JobState.KILLED) return;  // it will go on
    String why = state == JobState.SUCCEEDED ? "" : "Hadoop says " + state + ".";
    daemon.send(ToAdvisor.newBuilder().setJobEnded(ToAdvisor.JobEnded.newBuilder()
        .setSucceeded(state == JobState.SUCCEEDED).setMessage(ByteString.copyFromUtf8(why))).build());
  }

  /** Those that had succeeded under an earlier application master; nobody says so of them. */
  private void addRecovered() {
    for (Task task : job().getTasks(TaskType.MAP).values()) {
      for (TaskAttempt attempt : task.getAttempts().values()) {
        if (attempt.getState() != TaskAttemptState.SUCCEEDED || all.containsKey(attempt.getID())) continue;
        AttemptRecord record =
            new AttemptRecord(attempt.getID(), attempt.getLaunchTime(), attempt.getNodeHttpAddress());
        record.outcome = AttemptEvent.Outcome.SUCCEEDED;
        all.put(attempt.getID(), record);
      }
    }
  }

  void perform(AdviceOrder order) throws IOException {
    switch (order.getWhatCase()) {
      case ADD -> orders.add(order.getAdd());
      case CUT -> cut(order.getCut());
      case END -> end(order.getEnd());
      case KNOWN -> find(order.getKnown().getTask(), order.getKnown().getAttempt(), record -> {
        record.order = order.getKnown().getOrder();
      });
      case END_JOB -> orders.endJob(order.getEndJob().getReason().toStringUtf8());
      case NOTE -> LOG.info(order.getNote().getText().toStringUtf8());
      default -> { }
    }
  }

  private void cut(AdviceOrder.OrderCut cut) throws IOException {
    find(cut.getTask(), cut.getAttempt(), record -> {
      try {
        record.cutOrdered = true;
        new SideFolder(conf, cut.getTask()).orderCut(cut.getAttempt(), cut.getAt());
        LOG.info("Asked " + record.id + " to stop at " + cut.getAt());
      } catch (IOException unavailable) {
        LOG.warn("Could not ask " + record.id + " to stop: " + unavailable.getMessage());
      }
    });
  }

  private void end(AdviceOrder.EndAttempt end) {
    String reason = end.getReason().toStringUtf8();
    if (!end.getStarted()) {
      orders.cancel(end.getTask(), end.getOrder(), reason);
      live.stream().filter(record -> record.task() == end.getTask() && record.order == end.getOrder())
          .forEach(record -> orders.end(record, reason));
      return;
    }
    find(end.getTask(), end.getAttempt(), record -> orders.end(record, reason));
  }

  private void find(int task, int attempt, java.util.function.Consumer<AttemptRecord> what) {
    for (AttemptRecord record : live) {
      if (record.task() == task && record.id.getId() == attempt) {
        what.accept(record);
        return;
      }
    }
  }

  private TaskAttempt attempt(AttemptRecord record) {
    Task task = job().getTask(record.id.getTaskId());
    return task == null ? null : task.getAttempt(record.id);
  }

  private Job job() { return context.getJob(id); }

  private static String shortened(String text) { return text.length() <= 1000 ? text : text.substring(0, 1000); }
}
