package ontime.hadoop;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import ontime.wire.Advise.AdviceOrder.AddAttempt;
import org.apache.hadoop.mapreduce.v2.api.records.JobId;
import org.apache.hadoop.mapreduce.v2.api.records.TaskState;
import org.apache.hadoop.mapreduce.v2.api.records.TaskType;
import org.apache.hadoop.mapreduce.v2.app.AppContext;
import org.apache.hadoop.mapreduce.v2.app.job.Task;
import org.apache.hadoop.mapreduce.v2.app.job.event.JobDiagnosticsUpdateEvent;
import org.apache.hadoop.mapreduce.v2.app.job.event.JobEvent;
import org.apache.hadoop.mapreduce.v2.app.job.event.JobEventType;
import org.apache.hadoop.mapreduce.v2.app.job.event.TaskAttemptDiagnosticsUpdateEvent;
import org.apache.hadoop.mapreduce.v2.app.job.event.TaskAttemptEvent;
import org.apache.hadoop.mapreduce.v2.app.job.event.TaskAttemptEventType;
import org.apache.hadoop.mapreduce.v2.app.job.event.TaskEvent;
import org.apache.hadoop.mapreduce.v2.app.job.event.TaskEventType;
import org.apache.hadoop.mapreduce.v2.util.MRBuilderUtils;
import org.apache.hadoop.yarn.event.Event;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Orders to Hadoop's application master, as its events allow them. */
final class Orders {
  private static final Logger LOG = LoggerFactory.getLogger(Orders.class);

  private final AppContext context;
  private final JobId job;
  private final Map<Integer, Deque<AddAttempt>> launching = new HashMap<>();  // ordered, and not started yet
  private final Deque<AddAttempt> waiting = new ArrayDeque<>();               // their tasks have no attempt running yet
  private final List<AddAttempt> dropped = new ArrayList<>();                 // will not be carried out
  private final Map<Integer, Set<Integer>> seen = new HashMap<>();            // orders of each task
  private final Map<Integer, Set<Integer>> cancelled = new HashMap<>();
  private final Failures failures;

  Orders(AppContext context, JobId job, Failures failures) {
    this.failures = failures;
    this.context = context;
    this.job = job;
  }

  void add(AddAttempt order) {
    if (!seen.computeIfAbsent(order.getTask(), none -> new HashSet<>()).add(order.getOrder())) return;
    waiting.add(order);
    retry();
  }

  /** A task without a running attempt takes no more of them: asked for one, Hadoop 3.4 fails the job. */
  void retry() {
    for (Iterator<AddAttempt> next = waiting.iterator(); next.hasNext();) {
      AddAttempt order = next.next();
      Task task = task(order.getTask());
      if (task == null || task.getState() == TaskState.SCHEDULED || task.getState() == TaskState.NEW) continue;
      next.remove();
      if (task.getState() != TaskState.RUNNING || isCancelled(order.getTask(), order.getOrder())) {
        dropped.add(order);
        continue;
      }
      launching.computeIfAbsent(order.getTask(), none -> new ArrayDeque<>()).add(order);
      LOG.info("One more attempt of " + task.getID() + " (" + order.getOrder() + ")");
      send(new TaskEvent(task.getID(), TaskEventType.T_ADD_SPEC_ATTEMPT));
    }
    dropThoseOfEndedTasks();
  }

  private void dropThoseOfEndedTasks() {
    for (Map.Entry<Integer, Deque<AddAttempt>> asked : launching.entrySet()) {
      if (asked.getValue().isEmpty() || !task(asked.getKey()).isFinished()) continue;
      dropped.addAll(asked.getValue());
      asked.getValue().clear();
    }
  }

  List<AddAttempt> dropped() { return dropped; }

  /** Hadoop does not say which request an attempt comes from: they start in the order they were asked for. */
  void attemptStarted(AttemptRecord record) {
    Deque<AddAttempt> asked = launching.get(record.task());
    if (asked == null || asked.isEmpty()) return;
    AddAttempt order = asked.remove();
    record.order = order.getOrder();
    record.begin = order.getBegin();
    if (isCancelled(record.task(), record.order)) end(record, "It was cancelled before it started.");
  }

  void cancel(int task, int order, String reason) {
    cancelled.computeIfAbsent(task, none -> new HashSet<>()).add(order);
    LOG.info("No attempt " + order + " of task " + task + ": " + reason);
  }

  private boolean isCancelled(int task, int order) { return cancelled.getOrDefault(task, Set.of()).contains(order); }

  /** By failing it: for an attempt that is killed Hadoop starts another one, even while others run. */
  void end(AttemptRecord record, String reason) {
    if (record.endOrdered || !record.isLive()) return;
    record.endOrdered = true;
    failures.forgive(record.id);
    LOG.info("Ends " + record.id + ": " + reason);
    send(new TaskAttemptDiagnosticsUpdateEvent(record.id, "Ontime: " + reason));
    send(new TaskAttemptEvent(record.id, TaskAttemptEventType.TA_FAILMSG_BY_CLIENT));
  }

  void endJob(String reason) {
    LOG.warn("Ends the job: " + reason);
    send(new JobDiagnosticsUpdateEvent(job, "Ontime: " + reason));
    send(new JobEvent(job, JobEventType.JOB_KILL));
  }

  private Task task(int index) {
    return context.getJob(job).getTask(MRBuilderUtils.newTaskId(job, index, TaskType.MAP));
  }

  @SuppressWarnings("unchecked")
  private void send(Event<?> event) { context.getEventHandler().handle((Event) event); }
}
