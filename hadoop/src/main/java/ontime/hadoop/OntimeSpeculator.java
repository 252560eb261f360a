package ontime.hadoop;

import java.io.IOException;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import ontime.wire.Advise.AdviceOrder;
import ontime.wire.Advise.ToApplication;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.v2.api.records.JobId;
import org.apache.hadoop.mapreduce.v2.api.records.TaskAttemptId;
import org.apache.hadoop.mapreduce.v2.api.records.TaskType;
import org.apache.hadoop.mapreduce.v2.app.AppContext;
import org.apache.hadoop.mapreduce.v2.app.job.event.TaskAttemptStatusUpdateEvent.TaskAttemptStatus;
import org.apache.hadoop.mapreduce.v2.app.speculate.Speculator;
import org.apache.hadoop.mapreduce.v2.app.speculate.SpeculatorEvent;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.service.AbstractService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells `ontime-master --advise` what Hadoop's application master sees and performs its orders. While no daemon
 * answers, Hadoop's own speculator decides. All state belongs to one thread, `loop`; Hadoop's and the connection's only
 * hand over.
 */
public final class OntimeSpeculator extends AbstractService implements Speculator, Daemon.Listener {
  private static final Logger LOG = LoggerFactory.getLogger(OntimeSpeculator.class);
  private static final long TICK_MS = 500;

  private final Configuration conf;
  private final AppContext context;
  private final HadoopFallback fallback;
  private final ScheduledExecutorService loop = Executors.newSingleThreadScheduledExecutor(work -> {
    Thread thread = new Thread(work, "ontime-speculator");
    thread.setDaemon(true);
    return thread;
  });
  private volatile boolean advised;  // the daemon decides
  private boolean saidThatAway;
  private Daemon daemon;
  private Failures failures;     // since JOB_CREATE
  private MapAttempts attempts;  // and if the job's splits could be read

  public OntimeSpeculator(Configuration conf, AppContext context) {
    super(OntimeSpeculator.class.getName());
    this.conf = conf;
    this.context = context;
    fallback = new HadoopFallback(conf, context, () -> advised);
  }

  @Override
  protected void serviceStart() throws Exception {
    fallback.start();
    try {
      findDaemon();
    } catch (IllegalArgumentException unreadable) {  // of a job that was not submitted through the jar
      LOG.error(unreadable.getMessage() + " Hadoop's own speculator decides about this job.");
    }
    loop.scheduleWithFixedDelay(() -> guarded(this::tick), TICK_MS, TICK_MS, TimeUnit.MILLISECONDS);
    super.serviceStart();
  }

  private void findDaemon() throws IOException {
    Settings.Address address = new Settings(conf).address();
    if (address == null) {
      LOG.warn(Keys.MASTER + " is not set, so Hadoop's own speculator decides about this job.");
    } else {
      daemon = new Daemon(address, conf.get(Keys.TLS_DIR) != null,
          UserGroupInformation.getCurrentUser().getCredentials(), this);
    }
  }

  @Override
  protected void serviceStop() throws Exception {
    later(() -> {
      if (attempts == null) return;
      try {
        attempts.look();
      } finally {
        if (advised) attempts.sayEnd(daemon);
      }
    });
    loop.shutdown();
    loop.awaitTermination(5, TimeUnit.SECONDS);
    if (daemon != null) daemon.stop();
    fallback.stop();
    super.serviceStop();
  }

  @Override
  public void handle(SpeculatorEvent event) {
    fallback.handle(event);
    switch (event.getType()) {
      case JOB_CREATE -> later(() -> begin(event.getJobID()));
      case ATTEMPT_START -> startOf(event.getReportedStatus().id, event.getTimestamp());
      case ATTEMPT_STATUS_UPDATE -> reportOf(event.getReportedStatus());
      default -> { }
    }
  }

  @Override
  public void handleAttempt(TaskAttemptStatus status) { reportOf(status); }

  private void begin(JobId id) throws IOException {
    failures = new Failures(conf, context, id);  // first: what follows may fail
    attempts = new MapAttempts(conf, context, id, failures);
    if (daemon != null) daemon.start();
  }

  private void startOf(TaskAttemptId id, long now) {
    if (id.getTaskId().getTaskType() == TaskType.MAP) withAttempts(() -> attempts.started(id, now));
  }

  /** Hadoop goes on using what it reports, so what is of interest is read now. */
  private void reportOf(TaskAttemptStatus status) {
    TaskAttemptId id = status.id;
    if (id.getTaskId().getTaskType() != TaskType.MAP || status.counters == null) return;
    Counters counters = status.counters;
    MapReport report = new MapReport(counters, status.progress);
    withAttempts(() -> attempts.reported(id, report));
  }

  private void tick() {
    if (failures != null) failures.look();
    if (attempts == null) return;
    attempts.look();
    if (advised) attempts.sayNews(daemon);
  }

  // From the connection's thread.

  @Override
  public void connected() { later(() -> attempts.sayAll(daemon)); }

  @Override
  public void received(ToApplication message) {
    later(() -> {
      switch (message.getWhatCase()) {
        case ACCEPTED -> accept(message.getAccepted());
        case REFUSED -> refuse(message.getRefused().getReason().toStringUtf8());
        case ORDERS -> {
          for (AdviceOrder order : message.getOrders().getOrdersList()) attempts.perform(order);
        }
        default -> { }
      }
    });
  }

  @Override
  public void lost(String why) {
    later(() -> {
      if (advised || !saidThatAway) LOG.warn("No advice from {}. Until there is, Hadoop's speculator decides.", why);
      saidThatAway = true;
      if (!advised) return;
      advised = false;
      fallback.start();
    });
  }

  private void accept(ToApplication.Accepted accepted) {
    LOG.info("The daemon knows this job as job-{}; its policy is {}.", accepted.getJob(),
        accepted.getPolicy().toStringUtf8());
    advised = true;
    saidThatAway = false;
    attempts.sayAttempts(daemon);
  }

  private void refuse(String reason) {
    LOG.error("The daemon refuses this job: " + reason + " Hadoop's own speculator decides.");
    daemon.stop();
    if (advised) fallback.start();
    advised = false;
  }

  private interface Work {
    void run() throws Exception;
  }

  private void withAttempts(Work work) {
    later(() -> {
      if (attempts != null) work.run();
    });
  }

  private void later(Work work) {
    try {
      loop.execute(() -> guarded(work));
    } catch (RejectedExecutionException stopped) {
      // the job is over
    }
  }

  /** A fault here must not cost the job: it goes on, and only its speculation suffers. */
  private static void guarded(Work work) {
    try {
      work.run();
    } catch (Exception failed) {
      LOG.error("Advice was not carried out", failed);
    }
  }
}
