package ontime.hadoop;

import java.util.HashSet;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.v2.api.records.JobId;
import org.apache.hadoop.mapreduce.v2.api.records.TaskAttemptId;
import org.apache.hadoop.mapreduce.v2.api.records.TaskAttemptState;
import org.apache.hadoop.mapreduce.v2.api.records.TaskId;
import org.apache.hadoop.mapreduce.v2.api.records.TaskType;
import org.apache.hadoop.mapreduce.v2.app.AppContext;
import org.apache.hadoop.mapreduce.v2.app.job.Job;
import org.apache.hadoop.mapreduce.v2.app.job.Task;
import org.apache.hadoop.mapreduce.v2.app.job.TaskAttempt;
import org.apache.hadoop.mapreduce.v2.app.job.event.TaskTAttemptFailedEvent;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How often the map tasks of a job may fail. Hadoop counts an attempt that a policy ends as failed too, so JobRewriter
 * lets it count very far, and this counts the others. It needs neither the daemon nor a report of the attempt: one that
 * could not be launched has failed as well.
 */
final class Failures {
  private static final Logger LOG = LoggerFactory.getLogger(Failures.class);

  private final AppContext context;
  private final JobId id;
  private final int allowed;
  private final Set<TaskAttemptId> forgiven = new HashSet<>();
  private final Set<TaskId> failed = new HashSet<>();

  Failures(Configuration conf, AppContext context, JobId id) {
    this.context = context;
    this.id = id;
    allowed = conf.getInt(Keys.MAX_ATTEMPTS, 4);
  }

  /** That it fails will not be its own fault. */
  void forgive(TaskAttemptId attempt) { forgiven.add(attempt); }

  /** Hadoop says nothing when an attempt fails, so it is asked. */
  void look() {
    Job job = context.getJob(id);
    for (Task task : job.getTasks(TaskType.MAP).values()) {
      if (!task.isFinished() && !failed.contains(task.getID())) look(task);
    }
  }

  private void look(Task task) {
    int failures = 0;
    for (TaskAttempt attempt : task.getAttempts().values()) {
      if (attempt.getState() != TaskAttemptState.FAILED || forgiven.contains(attempt.getID())) continue;
      if (++failures >= allowed) {
        fail(task, attempt);
        return;
      }
    }
  }

  /** Says again that this attempt has failed, and that the task is not to be tried again. */
  @SuppressWarnings("unchecked")
  private void fail(Task task, TaskAttempt last) {
    failed.add(task.getID());
    LOG.error("{} has failed {} times, as often as mapreduce.map.maxattempts allows.", task.getID(), allowed);
    context.getEventHandler().handle(new TaskTAttemptFailedEvent(last.getID(), true));
  }
}
