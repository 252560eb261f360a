package ontime.hadoop;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.BeforeClass;
import org.junit.Test;

/**
 * Jobs on a small cluster that `ontime-master --advise` plans for: the output of the same job without Ontime, and what
 * `ontime` says of them. The first attempt of task 0 takes 1600 s at least if nobody does anything about it: more than
 * the deadline, which is far off, so that a busy machine does not make it hopeless.
 */
public final class DaemonJobsTest extends DaemonTest {
  private static final long SLOW = 200_000;
  private static final String KNOWN = "t_min=2s,beta=2,t_avg=2s,fit=flags";
  private static String plain;

  @BeforeClass
  public static void runWithoutOntime() throws Exception {
    for (int file = 0; file < 4; ++file) jobs.write("/text/" + file, StockExamplesTest.text(file, 4000));
    plain = jobs.run(jobs.examples(), "wordcount", "/text", "/plain");
  }

  private String[] wordCount(String policy, long slow, String output, String... more) {
    List<String> options = new ArrayList<>(List.of("-D", "ontime.policy=" + policy, "-D", "ontime.deadline=600s"));
    options.addAll(List.of(more));
    return StockExamplesTest.all("wordcount", jobs.ontime(daemon.port(), slow, options.toArray(new String[0])), "/text",
        output);
  }

  private static void assertSame(String ours, String output) throws Exception {
    assertArrayEquals(jobs.output("/plain"), jobs.output(output));
    StockExamplesTest.assertSameCounters(plain, ours, "Map input records", "Map output records", "Map output bytes");
  }

  /** The job with the policy's name, once the daemon knows that it has succeeded: what the client says of it. */
  private JsonNode run(String policy, long slow, String output) throws Exception {
    return run(policy, policy.split(":")[0], slow, output);
  }

  private JsonNode run(String policy, String name, long slow, String output) throws Exception {
    String ours = jobs.run(jobs.examples(), wordCount(policy, slow, output));
    assertSame(ours, output);
    JsonNode job = daemon.endedJob("job-1");
    assertEquals(job.toString(), "succeeded", job.get("state").asText());
    assertEquals(name, job.get("policy").asText());
    assertEquals("word count", job.get("name").asText());
    assertEquals(4, job.get("tasks_done").asInt());
    JsonNode listed = daemon.json("jobs").get("jobs");
    assertEquals(1, listed.size());
    assertEquals("job-1", listed.get(0).get("job").asText());
    assertTrue(daemon.ontime("logs", "job-1").contains("task 0 of job_"));
    assertReplayed();
    return job;
  }

  /** The scheduler decides the same again: `ontime replay` fails where it does not. */
  private void assertReplayed() throws Exception {
    String said = daemon.ontime("replay", "--journal", daemon.directory().resolve("journal").toString());
    assertTrue(said, said.contains("job-1"));
  }

  private static int pieces(JsonNode job) {
    int most = 0;
    for (JsonNode task : job.get("task_list")) most = Math.max(most, task.get("segments").size());
    return most;
  }

  private void assertResumed(String policy, String output) throws Exception {
    assertResumed(policy, policy.split(":")[0], output);
  }

  private void assertResumed(String policy, String name, String output) throws Exception {
    JsonNode job = run(policy, name, SLOW, output);
    assertTrue("cut and sealed: " + job, pieces(job) > 1);
    String explained = daemon.ontime("explain", "job-1");
    assertTrue(explained, explained.contains("late"));
    String page = daemon.ontime("report", "job-1");
    assertTrue(page, page.contains("<html") && page.contains("word count"));
    JsonNode trace = new ObjectMapper().readTree(daemon.ontime("trace", "job-1"));
    assertTrue(trace.toString(), trace.get("traceEvents").size() > 4);
    String metrics = daemon.metrics();
    assertTrue(metrics, metrics.matches("(?s).*ontime_deadlines\\{end=\"(met|missed)\"\\} 1\n.*"));
    assertTrue(metrics,
        metrics.matches("(?s).*ontime_mapped_bytes\\{[^}]*kind=\"resumed\"[^}]*\\} [1-9].*"));
    assertTrue(metrics, metrics.contains("policy=\"" + name + "\""));
  }

  @Test
  public void shedPlusResumesAStraggler() throws Exception {
    assertResumed("shed+:xi=0.01,theta=1s," + KNOWN, "/shed-plus");
  }

  @Test
  public void autoChoosesShedPlusForAJobWithADeadline() throws Exception {
    assertResumed("auto", "shed+", "/auto");
  }

  /** The policy plans for all jobs of the cluster together. */
  @Test
  public void shedPlusResumesTheStragglersOfTwoJobs() throws Exception {
    List<Process> clients = new ArrayList<>();
    for (String output : List.of("/first", "/second")) {
      clients.add(jobs.start(jobs.examples(), wordCount("shed+:xi=0.01,theta=1s," + KNOWN, SLOW, output)));
    }
    for (Process client : clients) assertEquals(0, client.waitFor());
    for (String output : List.of("/first", "/second")) {
      assertArrayEquals(jobs.output("/plain"), jobs.output(output));
    }
    for (String id : List.of("job-1", "job-2")) {
      JsonNode job = daemon.endedJob(id);
      assertEquals(job.toString(), "succeeded", job.get("state").asText());
      assertTrue("cut and sealed: " + job, pieces(job) > 1);
    }
    assertReplayed();
  }

  @Test
  public void sResumeResumesAStraggler() throws Exception {
    assertResumed("s-resume:tau_est=10x,tau_kill=20x," + KNOWN, "/s-resume");
  }

  /** More attempts than tasks, and nothing is resumed. */
  private void assertCopied(String policy, String output) throws Exception {
    JsonNode job = run(policy, SLOW, output);
    assertTrue(job.toString(), job.get("attempts_launched").asInt() > 4);
    assertEquals(1, pieces(job));
  }

  @Test
  public void hadoopStartsAStragglerAgain() throws Exception { assertCopied("hadoop", "/hadoop"); }

  /** Of four tasks one is slower than half of them; the default asks for one that is slower than three quarters. */
  @Test
  public void lateStartsAStragglerAgain() throws Exception { assertCopied("late:slow_task=0.5", "/late"); }

  @Test
  public void mantriStartsAStragglerAgain() throws Exception { assertCopied("mantri:delta=0.5", "/mantri"); }

  @Test
  public void cloneStartsEveryTaskTwice() throws Exception { assertCopied("clone:r=1," + KNOWN, "/clone"); }

  @Test
  public void noneOrdersNothing() throws Exception {
    JsonNode job = run("none", 100, "/none");
    assertEquals(4, job.get("attempts_launched").asInt());
  }

  /** Copies begin at the begin, because nothing has put the jar's reader around the job's. */
  @Test
  public void theSpeculatorAloneStartsAStragglerAgain() throws Exception {
    String ours = jobs.run(jobs.examples(), wordCount("s-restart:tau_est=10x,tau_kill=20x," + KNOWN, SLOW, "/alone",
        "-D", "mapreduce.framework.name=yarn",
        "-D", "yarn.app.mapreduce.am.job.speculator.class=ontime.hadoop.OntimeSpeculator",
        "-D", "mapreduce.map.maxattempts=100", "-D", "yarn.app.mapreduce.am.job.node-blacklisting.enable=false"));
    assertSame(ours, "/alone");
    JsonNode job = daemon.endedJob("job-1");
    assertEquals(job.toString(), "succeeded", job.get("state").asText());
    assertTrue(job.toString(), job.get("attempts_launched").asInt() > 4);
  }

  /** Starts a job whose task 0 waits for a file. Returns when the other three are done. */
  private Process startHeld(String output, Path gate) throws Exception {
    Process client = jobs.start(jobs.examples(),
        wordCount("none", 0, output, "-D", "ontime.test.gate=" + gate, "-D", "ontime.deadline=1h"));
    while (daemon.json("jobs").get("jobs").size() == 0 || daemon.job("job-1").get("tasks_done").asInt() < 3) {
      Thread.sleep(100);
    }
    return client;
  }

  private void assertKilled(Process client, String output, String why) throws Exception {
    assertEquals(1, client.waitFor());
    assertFalse(jobs.fs.exists(new org.apache.hadoop.fs.Path(output + "/_SUCCESS")));
    JsonNode job = daemon.endedJob("job-1");
    assertEquals(job.toString(), "killed", job.get("state").asText());
    assertTrue(job.toString(), job.get("message").asText().contains(why));
  }

  @Test
  public void aJobThatIsKilledEndsOnHadoop() throws Exception {
    Process client = startHeld("/ended", daemon.directory().resolve("gate"));
    daemon.ontime("kill", "job-1");
    assertKilled(client, "/ended", "");
  }

  /** Its task 0 waits for a file that nobody makes. */
  @Test
  public void aJobThatMissesItsDeadlineEndsOnHadoopIfItIsToBeKilledThen() throws Exception {
    Process client = jobs.start(jobs.examples(),
        wordCount("none", 0, "/missed", "-D", "ontime.test.gate=" + daemon.directory().resolve("gate"), "-D",
            "ontime.deadline=20s", "-D", "ontime.kill-on-miss=true"));
    assertKilled(client, "/missed", "missed its deadline");
  }

  @Test
  public void sRestartStartsAStragglerAgain() throws Exception {
    assertCopied("s-restart:tau_est=10x,tau_kill=20x," + KNOWN, "/s-restart");
  }

  @Test
  public void certificateAndTokenTravelWithAJob() throws Exception {
    daemon.close();
    daemon = new RealDaemon();
    Path tls = daemon.startWithTls();
    assertSame(jobs.run(jobs.examples(), wordCount("none", 0, "/tls", "-D", "ontime.tls.dir=" + tls)), "/tls");
    assertEquals("succeeded", daemon.endedJob("job-1").get("state").asText());
  }

  @Test
  public void aRunningJobHasAPocd() throws Exception {
    Path gate = daemon.directory().resolve("gate");
    Process client = startHeld("/running", gate);
    JsonNode forecast = daemon.job("job-1").get("forecast");
    assertTrue(forecast.toString(), forecast.get("pocd").asDouble(-1) > 0.5);
    assertTrue(forecast.toString(), forecast.get("low_seconds").asDouble(-1) > 0);
    String metrics = daemon.metrics();
    assertTrue(metrics, metrics.matches("(?s).*ontime_job_pocd\\{job=\"job-1\",policy=\"none\"\\} [01].*"));
    Files.createFile(gate);
    assertEquals(0, client.waitFor());
    assertSame(jobs.lastLog(), "/running");
    assertTrue(daemon.endedJob("job-1").get("deadline_met").asBoolean());
  }

  @Test
  public void aJobGoesOnAfterTheDaemonsDeathAndTheNextOneKnowsIt() throws Exception {
    Path gate = daemon.directory().resolve("gate");
    Process client = startHeld("/restart", gate);
    daemon.kill();
    daemon.start();
    // The application master has said everything again, so the attempt has its place in Hadoop again.
    while (!daemon.ontime("logs", "job-1").contains("task 0 of job_")) Thread.sleep(100);
    Files.createFile(gate);
    assertEquals(0, client.waitFor());
    assertSame(jobs.lastLog(), "/restart");
    JsonNode job = daemon.endedJob("job-1");
    assertEquals(job.toString(), "succeeded", job.get("state").asText());
    assertEquals(4, job.get("attempts_launched").asInt());
    assertReplayed();
  }

  @Test
  public void withoutADaemonHadoopsOwnSpeculatorDecides() throws Exception {
    String[] options = wordCount("shed+:" + KNOWN, SLOW, "/no-daemon");
    daemon.kill();
    String ours = jobs.run(jobs.examples(), options);
    assertSame(ours, "/no-daemon");
    String launched = StockExamplesTest.counter(ours, "Launched map tasks");
    assertTrue(launched, Integer.parseInt(launched.replaceAll(".*=", "")) > 4);
  }
}
