package ontime.hadoop;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.SequenceFile;
import org.apache.hadoop.io.Text;
import org.junit.Test;

/**
 * Hadoop's examples on a small cluster that `ontime-master --advise` plans for. The output and counters are those of
 * the same job without Ontime: when the straggler is cut, and when something fails besides. The straggler is the first
 * attempt of task 0. It would take 1200 s or more, and the deadline is 600 s.
 */
public final class DaemonExamplesTest extends DaemonTest {
  private static final int FILES = 3;
  private static final String[] POLICY = {"-D",
      "ontime.policy=shed+:xi=0.01,theta=1s,t_min=2s,beta=2,t_avg=2s,fit=flags", "-D", "ontime.deadline=600s"};
  private static final String SMALL = "ontime.chunk.min=64";     // an attempt seals a few seconds after its cut
  private static final String LARGE = "ontime.chunk.min=16000";  // it does so after ten minutes

  /** What goes wrong while a job runs. */
  private interface Fault {
    void strike() throws Exception;
  }

  private static void writeFiles(String directory, IntFunction<String> content) throws IOException {
    for (int file = 0; file < FILES; ++file) jobs.write(directory + "/" + file, content.apply(file));
  }

  private static String[] to(String output, String... arguments) {
    return Arrays.stream(arguments).map(argument -> argument.equals("OUT") ? output : argument).toArray(String[]::new);
  }

  private Process start(String program, String output, List<String> more, String... arguments) throws Exception {
    String[] options = StockExamplesTest.all(POLICY[0], Arrays.copyOfRange(POLICY, 1, POLICY.length),
        more.toArray(new String[0]));
    return jobs.start(jobs.examples(),
        StockExamplesTest.all(program, jobs.ontime(daemon.port(), 200_000, options), to(output, arguments)));
  }

  private static void assertSame(String plain, String ours, String program, String output) throws Exception {
    assertArrayEquals(jobs.output("/" + program + "-plain"), jobs.output(output));
    StockExamplesTest.assertSameCounters(plain, ours, "Map input records", "Map output records", "Map output bytes",
        "Reduce input groups", "Reduce output records");
  }

  private JsonNode task(String job) throws Exception { return daemon.job(job).get("task_list").get(0); }

  /** Waits until an attempt has been ordered that begins behind the cut. */
  private void awaitCut() throws Exception {
    while (daemon.json("jobs").get("jobs").isEmpty()) Thread.sleep(50);
    while (true) {
      for (JsonNode attempt : task("job-1").get("attempts")) {
        if (attempt.get("start_offset").asLong() > 0) return;
      }
      Thread.sleep(50);
    }
  }

  /** Runs it without Ontime, with a straggler that is cut, and with a fault as well. */
  private void assertSameOutput(String program, String chunk, String slow, Fault fault, String... arguments)
      throws Exception {
    String plain = jobs.run(jobs.examples(), StockExamplesTest.all(program, to("/" + program + "-plain", arguments)));
    Process cut = start(program, "/" + program + "-cut", List.of("-D", SMALL), arguments);
    assertEquals(jobs.lastLog(), 0, cut.waitFor());
    assertSame(plain, jobs.lastLog(), program, "/" + program + "-cut");
    JsonNode job = daemon.endedJob("job-1");
    assertEquals(job.toString(), "succeeded", job.get("state").asText());
    assertTrue("cut and sealed: " + job, job.get("task_list").get(0).get("segments").size() > 1);

    daemon.close();
    daemon = new RealDaemon();
    daemon.start();
    Process struck = start(program, "/" + program + "-struck",
        List.of("-D", chunk, "-D", "ontime.test.slow.attempts=.*_m_000000_" + slow), arguments);
    fault.strike();
    assertEquals(jobs.lastLog(), 0, struck.waitFor());
    assertSame(plain, jobs.lastLog(), program, "/" + program + "-struck");
  }

  @Test
  public void wordCountWhoseOriginalIsKilledBeforeItsSeal() throws Exception {
    writeFiles("/text", file -> StockExamplesTest.text(file, 4000));
    assertSameOutput("wordcount", LARGE, "0", () -> {
      awaitCut();
      jobs.kill("m_000000_0");
    }, "/text", "OUT");
    JsonNode job = daemon.endedJob("job-1");
    for (JsonNode segment : job.get("task_list").get(0).get("segments")) {
      assertTrue("not the original's: " + job, segment.get("attempt").asInt() != 0);
    }
  }

  @Test
  public void grepWhoseDaemonIsKilledAndComesBack() throws Exception {
    writeFiles("/lines", file -> StockExamplesTest.text(10 + file, 4000));
    assertSameOutput("grep", SMALL, "0", () -> {
      awaitCut();
      daemon.kill();
      daemon.start();
    }, "/lines", "OUT", "word[0-9]");
    for (String job : List.of("job-1", "job-2")) assertEquals("succeeded", daemon.endedJob(job).get("state").asText());
  }

  @Test
  public void secondarySortWhoseApplicationMasterIsKilled() throws Exception {
    writeFiles("/pairs", file -> {
      Random random = new Random(file);
      StringBuilder pairs = new StringBuilder();
      for (int line = 0; line < 3000; ++line) {
        pairs.append(random.nextInt(50)).append(' ').append(random.nextInt(1000)).append('\n');
      }
      return pairs.toString();
    });
    assertSameOutput("secondarysort", SMALL, "0", () -> {
      awaitCut();
      jobs.kill("MRAppMaster");
    }, "/pairs", "OUT");
    assertEquals("succeeded", daemon.endedJob("job-1").get("state").asText());
  }

  /** The copy of a straggler is slow too, so it is cut again if it lives, and is there to be killed if it does not. */
  @Test
  public void teraSortWhoseCopyIsKilled() throws Exception {
    jobs.run(jobs.examples(), "teragen", "-D", "mapreduce.job.maps=" + FILES, "12000", "/tera");
    assertSameOutput("terasort", SMALL, "[01]", () -> jobs.kill("m_000000_1"), "/tera", "OUT");
    assertEquals("succeeded", daemon.endedJob("job-1").get("state").asText());
    jobs.run(jobs.examples(), "teravalidate", "/terasort-plain", "/valid-plain");
    Process validate = start("teravalidate", "/valid", List.of(), "/terasort-struck", "OUT");
    assertEquals(jobs.lastLog(), 0, validate.waitFor());
    assertArrayEquals(jobs.output("/valid-plain"), jobs.output("/valid"));
    assertTrue(new String(jobs.output("/valid")).startsWith("checksum"));
  }

  @Test
  public void sortWhoseDaemonGoesAwayForGood() throws Exception {
    for (int file = 0; file < FILES; ++file) writeSequence(new Path("/sequence/" + file), new Random(20 + file));
    assertSameOutput("sort", SMALL, "0", () -> {
      awaitCut();
      daemon.kill();
    }, "-r", "1", "-inFormat", "org.apache.hadoop.mapreduce.lib.input.SequenceFileInputFormat", "-outFormat",
        "org.apache.hadoop.mapreduce.lib.output.TextOutputFormat", "-outKey", "org.apache.hadoop.io.Text", "-outValue",
        "org.apache.hadoop.io.IntWritable", "/sequence", "OUT");
  }

  /** With many sync marks, at which it can be cut. */
  private static void writeSequence(Path path, Random random) throws IOException {
    try (SequenceFile.Writer writer = SequenceFile.createWriter(jobs.fs.getConf(), SequenceFile.Writer.file(path),
        SequenceFile.Writer.keyClass(Text.class), SequenceFile.Writer.valueClass(IntWritable.class),
        SequenceFile.Writer.compression(SequenceFile.CompressionType.NONE), SequenceFile.Writer.syncInterval(500))) {
      for (int record = 0; record < 4000; ++record) {
        writer.append(new Text("key" + random.nextInt(1_000_000_000)), new IntWritable(record));
      }
    }
  }
}
