package ontime.hadoop;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;
import ontime.wire.Advise.AttemptEvent;
import org.apache.hadoop.fs.Path;
import org.junit.AfterClass;
import org.junit.BeforeClass;
import org.junit.Test;

/** What goes wrong, and what is cut more than once, never changes a job's output. */
public final class FaultsTest {
  private static HadoopJobs jobs;
  private static String plain;

  @BeforeClass
  public static void startCluster() throws Exception {
    jobs = new HadoopJobs();
    jobs.write("/text/a", StockExamplesTest.text(1, 4000));
    jobs.write("/text/b", StockExamplesTest.text(2, 4000));
    plain = jobs.run(jobs.examples(), "wordcount", "/text", "/plain");
  }

  @AfterClass
  public static void stopCluster() throws Exception { jobs.close(); }

  private static String wordCount(ScriptedDaemon daemon, String output, String... more) throws Exception {
    String log = jobs.run(jobs.examples(),
        StockExamplesTest.all("wordcount", jobs.ontime(daemon.port(), 1500, more), "/text", output));
    assertRight(log, output);
    return log;
  }

  private static void assertRight(String log, String output) throws Exception {
    assertArrayEquals(jobs.output("/plain"), jobs.output(output));
    StockExamplesTest.assertSameCounters(plain, log, "Map input records", "Map output records", "Map output bytes");
  }

  private static <T> long count(List<T> said, Predicate<T> what) { return said.stream().filter(what).count(); }

  @Test
  public void aChainOfCuts() throws Exception {
    Set<Integer> cut = ConcurrentHashMap.newKeySet();
    try (ScriptedDaemon daemon = new ScriptedDaemon(0, (self, event) -> {
      if (event.getTask() != 0) return;
      boolean begun = event.hasProgress() && event.getProgress().getOffset() > 0;
      if (begun && event.getAttempt() < 3 && cut.add(event.getAttempt())) {
        self.cut(event, event.getProgress().getOffset() + 100);
      }
      if (event.hasCut()) self.add(0, event.getCut().getAt());
    })) {
      wordCount(daemon, "/chain", "-D", "ontime.test.slow.attempts=.*_m_000000_[012]");
      List<Long> ends = daemon.events().stream().filter(AttemptEvent::hasSealed)
          .map(event -> event.getSealed().getAt()).distinct().toList();
      assertTrue("a chain: " + ends, ends.size() >= 2);  // Hadoop may add an attempt of its own to the race
    }
  }

  @Test
  public void theOriginalIsKilledBeforeItsSeal() throws Exception {
    AtomicBoolean cut = new AtomicBoolean();
    AtomicBoolean killed = new AtomicBoolean();
    try (ScriptedDaemon daemon = new ScriptedDaemon(0, (self, event) -> {
      if (event.getTask() != 0) return;
      if (event.hasProgress() && event.getAttempt() == 0 && !cut.getAndSet(true)) self.cut(event, 25_000);
      if (event.hasCut()) self.add(0, event.getCut().getAt());
      if (event.hasStarted() && event.getAttempt() > 0 && !killed.getAndSet(true)) kill("m_000000_0");
    })) {
      wordCount(daemon, "/killed", "-D", "ontime.test.slow.attempts=.*_m_000000_0");
      assertTrue(killed.get());
      assertEquals(0, count(daemon.events(), event -> event.hasSealed() && event.getAttempt() == 0));
    }
  }

  private static void kill(String part) {
    try {
      jobs.kill(part);
    } catch (InterruptedException ends) {
      Thread.currentThread().interrupt();
    }
  }

  /** Kills the application master once task 0 has been cut and has sealed its part. */
  private static BiConsumer<ScriptedDaemon, AttemptEvent> killTheApplicationMaster(AtomicBoolean killed) {
    AtomicBoolean cut = new AtomicBoolean();
    return (self, event) -> {
      if (event.getTask() != 0) return;
      if (event.hasProgress() && event.getProgress().getOffset() > 0 && !cut.getAndSet(true)) {
        self.cut(event, event.getProgress().getOffset() + 1);
      }
      if (event.hasSealed() && !killed.getAndSet(true)) kill("MRAppMaster");
    };
  }

  private static void assertKilledAndBack(AtomicBoolean killed, ScriptedDaemon daemon) {
    assertTrue(killed.get());
    assertTrue(count(daemon.messages(), message -> message.hasJob()) >= 2);
  }

  @Test
  public void theApplicationMasterIsKilledAndComesBack() throws Exception {
    AtomicBoolean killed = new AtomicBoolean();
    try (ScriptedDaemon daemon = new ScriptedDaemon(0, killTheApplicationMaster(killed))) {
      wordCount(daemon, "/am");
      assertKilledAndBack(killed, daemon);
    }
  }

  @Test
  public void theApplicationMasterOfAJobWithoutReducersIsKilledAndComesBack() throws Exception {
    jobs.run(jobs.helpers(), "ontime.hadoop.MapOnly", "/text", "/am-plain");
    AtomicBoolean killed = new AtomicBoolean();
    try (ScriptedDaemon daemon = new ScriptedDaemon(0, killTheApplicationMaster(killed))) {
      jobs.run(jobs.helpers(),
          StockExamplesTest.all("ontime.hadoop.MapOnly", jobs.ontime(daemon.port(), 10_000), "/text", "/am-ours"));
      assertArrayEquals(jobs.output("/am-plain"), jobs.output("/am-ours"));
      assertKilledAndBack(killed, daemon);
    }
  }

  @Test
  public void theDaemonIsKilledAndComesBack() throws Exception {
    AtomicBoolean begun = new AtomicBoolean();
    ScriptedDaemon first = new ScriptedDaemon(0, (self, event) -> begun.compareAndSet(false, event.hasProgress()));
    int port = first.port();
    Process client = jobs.start(jobs.examples(),
        StockExamplesTest.all("wordcount", jobs.ontime(port, 4000), "/text", "/daemon"));
    while (!begun.get() && client.isAlive()) Thread.sleep(10);
    first.close();
    try (ScriptedDaemon second = new ScriptedDaemon(port, StockExamplesTest.cutOnce())) {
      assertEquals(0, client.waitFor());
      assertRight(jobs.lastLog(), "/daemon");
      assertTrue(second.messages().stream().anyMatch(message -> message.hasSynchronised()));
      assertTrue(count(second.events(), event -> event.hasStarted() && event.getAttempt() == 0) >= 1);
      second.await(message -> message.getJobEnded().getSucceeded());
    }
  }

  @Test
  public void noDaemonAtAll() throws Exception {
    int port;
    try (ScriptedDaemon gone = new ScriptedDaemon(0, (self, event) -> { })) {
      port = gone.port();
    }
    String log = jobs.run(jobs.examples(), StockExamplesTest.all("wordcount", jobs.ontime(port, 0), "/text", "/alone"));
    assertRight(log, "/alone");
  }

  @Test
  public void aCompressedInputIsCopiedFromItsBegin() throws Exception {
    try (GZIPOutputStream out = new GZIPOutputStream(jobs.fs.create(new Path("/gz/a.gz")))) {
      out.write(StockExamplesTest.text(5, 4000).getBytes(StandardCharsets.US_ASCII));
    }
    jobs.run(jobs.examples(), "wordcount", "/gz", "/gz-plain");
    AtomicBoolean copied = new AtomicBoolean();
    try (ScriptedDaemon daemon = new ScriptedDaemon(0, (self, event) -> {
      if (event.hasProgress() && !copied.getAndSet(true)) self.add(0, 0);
    })) {
      String[] options = jobs.ontime(daemon.port(), 3000);
      jobs.run(jobs.examples(), StockExamplesTest.all("wordcount", options, "/gz", "/gz-ours"));
      assertArrayEquals(jobs.output("/gz-plain"), jobs.output("/gz-ours"));
      assertFalse(daemon.messages().get(0).getJob().getResumable());
      assertTrue(count(daemon.events(), event -> event.hasStarted() && event.getStarted().getOrder() == 1) >= 1);
    }
  }

  @Test
  public void aJobWithoutReducers() throws Exception {
    String before = jobs.run(jobs.helpers(), "ontime.hadoop.MapOnly", "/text", "/upper-plain");
    try (ScriptedDaemon daemon = new ScriptedDaemon(0, StockExamplesTest.cutOnce())) {
      String log = jobs.run(jobs.helpers(),
          StockExamplesTest.all("ontime.hadoop.MapOnly", jobs.ontime(daemon.port(), 10_000), "/text", "/upper-ours"));
      assertArrayEquals(jobs.output("/upper-plain"), jobs.output("/upper-ours"));
      StockExamplesTest.assertSameCounters(before, log, "LINES", "Map input records", "Map output records");
      assertEquals(1, count(daemon.events(), AttemptEvent::hasSealed));
      assertEquals(3, jobs.fs.globStatus(new Path("/upper-ours/part-*")).length);
      assertEquals(3, jobs.fs.globStatus(new Path("/upper-ours/below/part-*")).length);
    }
  }

  @Test
  public void whatAMapperThatThrowsHasWrittenIsNotSealed() throws Exception {
    jobs.run(jobs.helpers(), "ontime.hadoop.MapOnly", "/text", "/throws-plain");
    AtomicBoolean cut = new AtomicBoolean();
    try (ScriptedDaemon daemon = new ScriptedDaemon(0, (self, event) -> {
      if (event.getTask() != 0) return;
      if (event.hasProgress() && event.getProgress().getOffset() > 0 && !cut.getAndSet(true)) self.cut(event, 25_000);
    })) {
      jobs.run(jobs.helpers(), StockExamplesTest.all("ontime.hadoop.MapOnly",
          jobs.ontime(daemon.port(), 10_000, "-D", "ontime.test.throw=250"), "/text", "/throws-ours"));
      assertArrayEquals(jobs.output("/throws-plain"), jobs.output("/throws-ours"));
      assertEquals(0, count(daemon.events(), AttemptEvent::hasSealed));
      assertEquals(1, count(daemon.events(), event -> event.hasCut() && event.getCut().getAt() == 25_000));
    }
  }

  /** However long a record takes, the attempt promises to stop behind it, and reports so. */
  @Test
  public void aCutIsAnsweredWhileTheMapperIsBusyWithOneRecord() throws Exception {
    jobs.run(jobs.helpers(), "ontime.hadoop.MapOnly", "/text", "/busy-plain");
    AtomicBoolean cut = new AtomicBoolean();
    try (ScriptedDaemon daemon = new ScriptedDaemon(0, (self, event) -> {
      if (event.getTask() != 0) return;
      if (event.hasProgress() && event.getAttempt() == 0 && !cut.getAndSet(true)) self.cut(event, 1);
      if (!event.hasCut()) return;
      self.add(0, event.getCut().getAt());
      write("/answered");
    })) {
      jobs.run(jobs.helpers(), StockExamplesTest.all("ontime.hadoop.MapOnly",
          jobs.ontime(daemon.port(), 0, "-D", "ontime.test.wait=/answered"), "/text", "/busy-ours"));
      assertArrayEquals(jobs.output("/busy-plain"), jobs.output("/busy-ours"));
      assertEquals(1, count(daemon.events(), AttemptEvent::hasSealed));
    }
  }

  private static void write(String path) {
    try {
      jobs.write(path, "");
    } catch (IOException failed) {
      throw new IllegalStateException(failed);
    }
  }

  @Test
  public void aJobWithAnUnreadableDeadlineIsRefusedAtItsSubmission() throws Exception {
    Process client = jobs.start(jobs.examples(),
        StockExamplesTest.all("wordcount", jobs.ontime(1, 0, "-D", "ontime.deadline=soon"), "/text", "/refused"));
    assertFalse(client.waitFor() == 0);
    assertTrue(jobs.lastLog(), jobs.lastLog().contains("ontime.deadline=soon is not a time such as 90s or 5m."));
  }

  /** Whose tasks may fail twice. What fails while the application master counts is not many more. */
  private static void assertFailsSoon(String jar, String program, String output, String... more) throws Exception {
    try (ScriptedDaemon daemon = new ScriptedDaemon(0, (self, event) -> { })) {
      String[] options = StockExamplesTest.all("-D", more, jobs.ontime(daemon.port(), 0, "-D",
          "mapreduce.map.maxattempts=2", "-D", "ontime.test.slow.attempts=.*_m_000000_.*"));
      Process client = jobs.start(jar, StockExamplesTest.all(program, options, "/text", output));
      assertEquals(1, client.waitFor());
      assertFalse(jobs.fs.exists(new Path(output + "/_SUCCESS")));
      Pattern line = Pattern.compile("attempt_\\w+_m_000000_\\d+, Status : FAILED");
      long failed = line.matcher(jobs.lastLog()).results().count();
      assertTrue(failed + " attempts", failed > 0 && failed < 50);
    }
  }

  @Test
  public void aTaskWhoseMapperAlwaysThrowsFailsAfterAsManyFailuresAsTheJobAllows() throws Exception {
    assertFailsSoon(jobs.helpers(), "ontime.hadoop.MapOnly", "/throws", "ontime.test.throw=1");
  }

  @Test
  public void aTaskWhoseProcessesEndAtOnceFailsAfterAsManyFailuresAsTheJobAllows() throws Exception {
    assertFailsSoon(jobs.examples(), "wordcount", "/no-process", "mapreduce.map.java.opts=-XX:NoSuchOption");
  }

  @Test
  public void aTaskFailsAfterAsManyFailuresAsTheJobAllows() throws Exception {
    Set<Integer> killed = ConcurrentHashMap.newKeySet();
    try (ScriptedDaemon daemon = new ScriptedDaemon(0, (self, event) -> {
      if (event.getTask() != 0 || !event.hasProgress() || event.getAttempt() > 1) return;
      if (killed.add(event.getAttempt())) kill(String.format("m_000000_%d ", event.getAttempt()));
    })) {
      Process client = jobs.start(jobs.examples(), StockExamplesTest.all("wordcount",
          jobs.ontime(daemon.port(), 5000, "-D", "mapreduce.map.maxattempts=2", "-D",
              "ontime.test.slow.attempts=.*_m_000000_.*"),
          "/text", "/failed"));
      assertEquals(1, client.waitFor());
      assertEquals(Set.of(0, 1), killed);
      assertFalse(jobs.fs.exists(new Path("/failed/_SUCCESS")));
    }
  }
}
