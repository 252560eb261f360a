package ontime.hadoop;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import ontime.wire.Advise.AdviceOrder;
import ontime.wire.Advise.ToApplication;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.MRJobConfig;
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
  private volatile boolean over;     // the daemon hangs up, as it should
  private boolean saidThatAway;
  private Daemon daemon;
  private Notice notice;
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
    notice = new Notice(conf, new Path(conf.get(MRJobConfig.MAPREDUCE_JOB_DIR)));
    try {
      findDaemon();
    } catch (IllegalArgumentException unreadable) {  // of a job that was not submitted through the jar
      sayUnplanned(unreadable.getMessage());
    }
    loop.scheduleWithFixedDelay(() -> guarded(this::tick), TICK_MS, TICK_MS, TimeUnit.MILLISECONDS);
    super.serviceStart();
  }

  private void findDaemon() throws IOException {
    List<Settings.Address> addresses = new Settings(conf).addresses();
    if (addresses.isEmpty()) {
      sayUnplanned(Keys.MASTER + " is not set.");
    } else {
      daemon = new Daemon(addresses, conf.get(Keys.TLS_DIR) != null,
          UserGroupInformation.getCurrentUser().getCredentials(), this);
    }
  }

  @Override
  protected void serviceStop() throws Exception {
    over = true;
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

  private void begin(JobId id) {
    failures = new Failures(conf, context, id);  // first: what follows may fail
    try {
      attempts = new MapAttempts(conf, context, id, failures);
    } catch (IOException | RuntimeException unreadable) {
      LOG.error("The job's splits cannot be read", unreadable);
      sayUnplanned("its splits cannot be read: " + unreadable.getMessage() + ".");
      return;
    }
    if (daemon != null) daemon.start();
  }

  private void sayUnplanned(String why) {
    LOG.error("Ontime does not plan this job, Hadoop's own speculator decides: " + why);
    notice.write(false, "Ontime does not plan this job, Hadoop's own speculator decides: " + why);
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
      if (over) return;
      if (advised || !saidThatAway) {
        String away = "Ontime's daemon gives no advice, " + why + ". Until it does, Hadoop's speculator decides.";
        LOG.warn(away);
        notice.write(false, away);
      }
      saidThatAway = true;
      if (!advised) return;
      advised = false;
      fallback.start();
    });
  }

  private void accept(ToApplication.Accepted accepted) {
    String plans = "Ontime plans this job as job-" + accepted.getJob() + " by " + accepted.getPolicy().toStringUtf8()
        + (attempts.areResumable() ? "." : "; it cannot be cut, so copies begin at the begin of their split.");
    LOG.info(plans);
    notice.write(true, plans);
    advised = true;
    saidThatAway = false;
    attempts.sayAttempts(daemon);
  }

  private void refuse(String reason) {
    sayUnplanned(reason);
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
