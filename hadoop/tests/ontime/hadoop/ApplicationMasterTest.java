package ontime.hadoop;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import ontime.wire.Advise.AdviceOrder;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;
import org.apache.hadoop.mapreduce.split.JobSplitWriter;
import org.apache.hadoop.mapreduce.v2.api.records.TaskAttemptState;
import org.apache.hadoop.mapreduce.v2.app.job.event.TaskAttemptEvent;
import org.apache.hadoop.mapreduce.v2.app.job.event.TaskAttemptEventType;
import org.apache.hadoop.mapreduce.v2.app.job.event.TaskTAttemptFailedEvent;
import org.junit.Test;

/** What the speculator's parts make of what Hadoop's application master shows them, without a cluster. */
public final class ApplicationMasterTest {
  private final FakeJob job = new FakeJob();

  /** A file system that cannot be read now and then. */
  public static final class Unreliable extends LocalFileSystem {
    static volatile boolean fails;

    @Override
    public FSDataInputStream open(Path path, int buffer) throws IOException {
      if (fails) throw new IOException("switched off by the test");
      return super.open(path, buffer);
    }
  }

  private static Configuration allowing(int failures) {
    Configuration conf = new Configuration();
    conf.setInt(Keys.MAX_ATTEMPTS, failures);
    return conf;
  }

  @Test
  public void attemptsThatWereNeverLaunchedCountAsFailed() {
    Failures failures = new Failures(allowing(2), job.context(), job.id);
    job.set(0, TaskAttemptState.FAILED);
    failures.look();
    assertTrue(job.sent.isEmpty());
    job.set(1, TaskAttemptState.FAILED);
    failures.look();
    failures.look();
    assertEquals(1, job.sent.size());
    assertTrue("not tried again", ((TaskTAttemptFailedEvent) job.sent.get(0)).isFastFail());
  }

  @Test
  public void attemptsThatAPolicyEndedDoNotCount() {
    Failures failures = new Failures(allowing(2), job.context(), job.id);
    for (int number = 0; number < 10; ++number) failures.forgive(job.set(number, TaskAttemptState.FAILED));
    job.set(10, TaskAttemptState.FAILED);
    job.set(11, TaskAttemptState.KILLED);
    failures.look();
    assertTrue(job.sent.isEmpty());
  }

  private static Configuration withSplit() throws Exception {
    Configuration conf = allowing(4);
    conf.set("fs.file.impl", Unreliable.class.getName());
    conf.setBoolean("fs.file.impl.disable.cache", true);
    Path directory = new Path(Files.createTempDirectory("ontime-job").toUri());
    conf.set(MRJobConfig.MAPREDUCE_JOB_DIR, directory.toString());
    InputSplit[] splits = {new FileSplit(new Path("file:/none"), 0, 100, new String[0])};
    JobSplitWriter.createSplitFiles(directory, conf, directory.getFileSystem(conf), splits);
    return conf;
  }

  @Test
  public void aPromiseOfAnEndedAttemptIsWithdrawnWhenTheFileSystemWorksAgain() throws Exception {
    Configuration conf = withSplit();
    Failures failures = new Failures(conf, job.context(), job.id);
    MapAttempts attempts = new MapAttempts(conf, job.context(), job.id, failures);
    attempts.started(job.set(0, TaskAttemptState.RUNNING), 1);
    attempts.perform(AdviceOrder.newBuilder().setCut(AdviceOrder.OrderCut.newBuilder().setAt(50)).build());
    SideFolder folder = new SideFolder(conf, 0);
    assertTrue(folder.accept(0, 50, 0));
    attempts.started(job.set(1, TaskAttemptState.RUNNING), 2);

    job.set(0, TaskAttemptState.FAILED);
    Unreliable.fails = true;
    attempts.look();
    Unreliable.fails = false;
    assertEquals(50, folder.accepted(0));
    attempts.look();
    assertEquals(-1, folder.accepted(0));
    assertTrue("who began behind it is ended", job.sent.stream().anyMatch(event ->
        event.getType() == TaskAttemptEventType.TA_FAILMSG_BY_CLIENT
            && ((TaskAttemptEvent) event).getTaskAttemptID().equals(job.attempt(1))));

    job.set(1, TaskAttemptState.FAILED);
    job.set(2, TaskAttemptState.FAILED);
    job.set(3, TaskAttemptState.FAILED);
    int before = job.sent.size();
    failures.look();
    assertEquals("three failures of its own", before, job.sent.size());
    job.set(4, TaskAttemptState.FAILED);
    failures.look();
    assertEquals(before + 1, job.sent.size());
  }
}
