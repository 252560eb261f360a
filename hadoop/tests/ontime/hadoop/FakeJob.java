package ontime.hadoop;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.mapreduce.v2.api.records.JobId;
import org.apache.hadoop.mapreduce.v2.api.records.TaskAttemptId;
import org.apache.hadoop.mapreduce.v2.api.records.TaskAttemptState;
import org.apache.hadoop.mapreduce.v2.api.records.TaskId;
import org.apache.hadoop.mapreduce.v2.api.records.TaskState;
import org.apache.hadoop.mapreduce.v2.api.records.TaskType;
import org.apache.hadoop.mapreduce.v2.app.AppContext;
import org.apache.hadoop.mapreduce.v2.app.job.Job;
import org.apache.hadoop.mapreduce.v2.app.job.Task;
import org.apache.hadoop.mapreduce.v2.app.job.TaskAttempt;
import org.apache.hadoop.mapreduce.v2.util.MRBuilderUtils;
import org.apache.hadoop.yarn.event.Event;
import org.apache.hadoop.yarn.event.EventHandler;

/** A job of one running map task as an application master shows it, and the events that it is sent. */
final class FakeJob {
  final JobId id = MRBuilderUtils.newJobId(1, 1, 1);
  final TaskId taskId = MRBuilderUtils.newTaskId(id, 0, TaskType.MAP);
  final List<Event<?>> sent = new ArrayList<>();
  private final Map<TaskAttemptId, TaskAttemptState> states = new LinkedHashMap<>();

  TaskAttemptId attempt(int number) { return MRBuilderUtils.newTaskAttemptId(taskId, number); }

  TaskAttemptId set(int number, TaskAttemptState state) {
    states.put(attempt(number), state);
    return attempt(number);
  }

  AppContext context() {
    EventHandler<Event<?>> handler = sent::add;
    return Fake.of(AppContext.class, Map.of("getJob", this::job, "getUser", () -> "somebody", "getStartTime", () -> 1L,
        "getEventHandler", () -> handler));
  }

  private Job job() {
    return Fake.of(Job.class, Map.of("getTask", this::task, "getTasks", () -> Map.of(taskId, task())));
  }

  private Task task() {
    Map<TaskAttemptId, TaskAttempt> attempts = new LinkedHashMap<>();
    for (TaskAttemptId attempt : states.keySet()) attempts.put(attempt, attempt(attempt));
    return Fake.withArguments(Task.class, Map.of("getAttempts", none -> attempts, "isFinished", none -> false,
        "getID", none -> taskId, "getState", none -> TaskState.RUNNING,
        "getAttempt", arguments -> attempts.get(arguments[0])));
  }

  private TaskAttempt attempt(TaskAttemptId attempt) {
    return Fake.of(TaskAttempt.class, Map.of("getID", () -> attempt, "getState", () -> states.get(attempt),
        "getNodeHttpAddress", () -> "node", "getDiagnostics", List::of));
  }
}
