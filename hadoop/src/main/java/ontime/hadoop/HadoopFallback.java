package ontime.hadoop;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.v2.api.records.TaskType;
import org.apache.hadoop.mapreduce.v2.app.AppContext;
import org.apache.hadoop.mapreduce.v2.app.job.event.TaskEvent;
import org.apache.hadoop.mapreduce.v2.app.speculate.DefaultSpeculator;
import org.apache.hadoop.mapreduce.v2.app.speculate.SpeculatorEvent;
import org.apache.hadoop.yarn.event.Event;
import org.apache.hadoop.yarn.event.EventHandler;

/** Hadoop's own speculator. It decides about reducers, and about maps while there is no daemon. */
final class HadoopFallback {
  private final Configuration conf;
  private final AppContext context;
  private final List<SpeculatorEvent> history = new ArrayList<>();
  private DefaultSpeculator speculator;

  HadoopFallback(Configuration conf, AppContext context, BooleanSupplier hasDaemon) {
    this.conf = conf;
    this.context = gated(context, hasDaemon);
  }

  /** The same context, but maps get no copies from here while the daemon decides about them. */
  @SuppressWarnings("unchecked")
  private static AppContext gated(AppContext context, BooleanSupplier hasDaemon) {
    EventHandler<Event> handler = event -> {
      boolean isMap = event instanceof TaskEvent && ((TaskEvent) event).getTaskID().getTaskType() == TaskType.MAP;
      if (!isMap || !hasDaemon.getAsBoolean()) context.getEventHandler().handle(event);
    };
    return (AppContext) Proxy.newProxyInstance(AppContext.class.getClassLoader(), new Class<?>[] {AppContext.class},
        (self, method, arguments) -> {
          if (method.getName().equals("getEventHandler")) return handler;
          try {
            return method.invoke(context, arguments);
          } catch (InvocationTargetException thrown) {
            throw thrown.getCause();
          }
        });
  }

  /** Begins afresh: what the gate has kept from happening is forgotten. */
  synchronized void start() {
    stop();
    speculator = new DefaultSpeculator(conf, context);
    speculator.init(conf);
    speculator.start();
    for (SpeculatorEvent event : history) speculator.handle(event);
  }

  synchronized void stop() {
    if (speculator != null) speculator.stop();
    speculator = null;
  }

  synchronized void handle(SpeculatorEvent event) {
    switch (event.getType()) {
      case JOB_CREATE, ATTEMPT_START, TASK_CONTAINER_NEED_UPDATE -> history.add(event);
      default -> { }
    }
    if (speculator != null) speculator.handle(event);
  }
}
