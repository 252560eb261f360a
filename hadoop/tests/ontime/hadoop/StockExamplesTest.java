package ontime.hadoop;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import ontime.wire.Advise.AttemptEvent;
import org.junit.AfterClass;
import org.junit.BeforeClass;
import org.junit.Test;

/**
 * Jobs of Hadoop's examples with a straggler that is cut, and with a copy behind the cut that is killed: the same output
 * and counters as without Ontime.
 */
public final class StockExamplesTest {
  private static HadoopJobs jobs;

  @BeforeClass
  public static void startCluster() throws Exception {
    jobs = new HadoopJobs();
    jobs.write("/text/a", text(1, 4000));
    jobs.write("/text/b", text(2, 4000));
  }

  @AfterClass
  public static void stopCluster() throws Exception { jobs.close(); }

  static String text(int seed, int words) {
    Random random = new Random(seed);
    StringBuilder text = new StringBuilder();
    for (int word = 0; word < words; ++word) {
      text.append("word").append(random.nextInt(500)).append(word % 9 == 8 ? '\n' : ' ');
    }
    return text.append('\n').toString();
  }

  /** Cuts the first attempt of task 0 once it has begun, and adds two behind the cut. */
  static BiConsumer<ScriptedDaemon, AttemptEvent> cutOnce() {
    AtomicInteger cuts = new AtomicInteger();
    return (daemon, event) -> {
      if (event.getTask() != 0) return;
      if (event.hasProgress() && event.getAttempt() == 0 && event.getProgress().getOffset() > 0
          && cuts.getAndIncrement() == 0) {
        daemon.cut(event, event.getProgress().getOffset() + 1);
      }
      if (event.hasCut()) {
        daemon.add(0, event.getCut().getAt());
        daemon.add(0, event.getCut().getAt());
      }
    };
  }

  /** As cutOnce, but the first copy's process is killed. Then Hadoop tries again, and the daemon orders another copy. */
  private static BiConsumer<ScriptedDaemon, AttemptEvent> cutOnceAndKillTheCopy() {
    AtomicLong cut = new AtomicLong();
    AtomicBoolean again = new AtomicBoolean();
    return (daemon, event) -> {
      if (event.getTask() != 0) return;
      if (event.hasProgress() && event.getAttempt() == 0 && event.getProgress().getOffset() > 0
          && cut.compareAndSet(0, event.getProgress().getOffset() + 1)) {
        daemon.cut(event, cut.get());
      }
      if (event.hasCut()) {
        cut.set(event.getCut().getAt());
        daemon.add(0, cut.get());
      }
      if (event.hasStarted() && event.getStarted().getOrder() == 1) killLater(event.getAttempt());
      if (event.hasEnded() && event.getAttempt() > 0 && !again.getAndSet(true)) daemon.add(0, cut.get());
    };
  }

  /** Not by the script's own thread: YARN takes a while to start it. */
  private static void killLater(int attempt) {
    Thread thread = new Thread(() -> {
      try {
        jobs.kill("m_000000_" + attempt);
      } catch (InterruptedException ends) {
        Thread.currentThread().interrupt();
      }
    });
    thread.setDaemon(true);
    thread.start();
  }

  static String[] all(String first, String[] options, String... last) {
    List<String> arguments = new ArrayList<>(List.of(first));
    arguments.addAll(Arrays.asList(options));
    arguments.addAll(Arrays.asList(last));
    return arguments.toArray(new String[0]);
  }

  static String counter(String log, String name) {
    for (String line : log.split("\n")) {
      if (line.strip().startsWith(name + "=")) return line.strip();
    }
    return "no " + name;
  }

  static void assertSameCounters(String plain, String ours, String... names) {
    for (String name : names) assertEquals(counter(plain, name), counter(ours, name));
  }

  private static void assertResumed(List<AttemptEvent> events) {
    long cut = events.stream().filter(AttemptEvent::hasCut).findFirst().orElseThrow().getCut().getAt();
    assertTrue("sealed", events.stream().anyMatch(event -> event.hasSealed() && event.getSealed().getAt() == cut));
    AttemptEvent started = events.stream()
        .filter(event -> event.getTask() == 0 && event.hasStarted() && event.getStarted().getBegin() == cut)
        .findFirst().orElseThrow();
    assertTrue("the copy was killed", events.stream().anyMatch(event -> event.getAttempt() == started.getAttempt()
        && event.getTask() == 0 && event.getEnded().getOutcome() == AttemptEvent.Outcome.FAILED));
    assertTrue("another copy than attempt " + started.getAttempt() + " won", events.stream().anyMatch(event ->
        event.getTask() == 0 && event.hasEnded() && event.getAttempt() > 0
            && event.getAttempt() != started.getAttempt()
            && event.getEnded().getOutcome() == AttemptEvent.Outcome.SUCCEEDED));
  }

  private static void assertSame(String program, String[] plainOptions, long slow, String... arguments)
      throws Exception {
    String to = "/" + program;
    String plain = jobs.run(jobs.examples(), all(program, plainOptions, with(arguments, to + "-plain")));
    try (ScriptedDaemon daemon = new ScriptedDaemon(0, cutOnceAndKillTheCopy())) {
      String[] options = jobs.ontime(daemon.port(), slow, plainOptions);
      String ours = jobs.run(jobs.examples(), all(program, options, with(arguments, to + "-ours")));
      assertArrayEquals(jobs.output(to + "-plain"), jobs.output(to + "-ours"));
      assertSameCounters(plain, ours, "Map input records", "Map output records", "Map output bytes",
          "Reduce input groups", "Reduce output records");
      daemon.await(message -> message.getJobEnded().getSucceeded());
      assertResumed(daemon.events());
    }
  }

  private static String[] with(String[] arguments, String output) {
    return Arrays.stream(arguments).map(argument -> argument.equals("OUT") ? output : argument).toArray(String[]::new);
  }

  @Test
  public void wordCountOfAStraggler() throws Exception {
    assertSame("wordcount", new String[0], 1500, "/text", "OUT");
  }

  @Test
  public void grepOfAStraggler() throws Exception {
    assertSame("grep", new String[0], 1500, "/text", "OUT", "word[0-9]");
  }

  @Test
  public void secondarySortOfAStraggler() throws Exception {
    Random random = new Random(3);
    StringBuilder pairs = new StringBuilder();
    for (int line = 0; line < 3000; ++line) {
      pairs.append(random.nextInt(50)).append(' ').append(random.nextInt(1000)).append('\n');
    }
    jobs.write("/pairs/a", pairs.toString());
    assertSame("secondarysort", new String[0], 1500, "/pairs", "OUT");
  }

  @Test
  public void teraSortOfAStraggler() throws Exception {
    jobs.run(jobs.examples(), "teragen", "-D", "mapreduce.job.maps=1", "4000", "/tera");
    assertSame("terasort", new String[0], 1000, "/tera", "OUT");
  }

  @Test
  public void sortOfAStraggler() throws Exception {
    Random random = new Random(4);
    StringBuilder words = new StringBuilder();
    for (int word = 0; word < 20_000; ++word) {
      words.append("a-long-word-to-be-sorted-").append(random.nextLong()).append('\n');
    }
    jobs.write("/words/a", words.toString());
    jobs.run(jobs.examples(), "wordcount", "-D",
        "mapreduce.job.outputformat.class=org.apache.hadoop.mapreduce.lib.output.SequenceFileOutputFormat", "/words",
        "/sequence");
    assertSame("sort", new String[0], 300, "-r", "1", "-inFormat",
        "org.apache.hadoop.mapreduce.lib.input.SequenceFileInputFormat", "-outFormat",
        "org.apache.hadoop.mapreduce.lib.output.TextOutputFormat", "-outKey", "org.apache.hadoop.io.Text", "-outValue",
        "org.apache.hadoop.io.IntWritable", "/sequence", "OUT");
  }
}
