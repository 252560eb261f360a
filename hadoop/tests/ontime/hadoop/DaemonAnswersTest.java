package ontime.hadoop;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.junit.BeforeClass;
import org.junit.Test;

/** What the client is told of who plans its job, and what becomes of a job that cannot be cut. */
public final class DaemonAnswersTest extends DaemonTest {
  private static final String KNOWN = "t_min=2s,beta=2,t_avg=2s,fit=flags";

  @BeforeClass
  public static void runWithoutOntime() throws Exception {
    for (int file = 0; file < 4; ++file) jobs.write("/text/" + file, StockExamplesTest.text(file, 4000));
    jobs.run(jobs.examples(), "wordcount", "/text", "/plain");
  }

  private String said(String policy, long slow, String output, String... more) throws Exception {
    List<String> options = new ArrayList<>(List.of("-D", "ontime.policy=" + policy, "-D", "ontime.deadline=600s"));
    options.addAll(List.of(more));
    String said = jobs.run(jobs.examples(), StockExamplesTest.all("wordcount",
        jobs.ontime(daemon.port(), slow, options.toArray(new String[0])), "/text", output));
    assertArrayEquals(jobs.output("/plain"), jobs.output(output));
    return said;
  }

  private static void assertSays(String said, String sentence) { assertTrue(said, said.contains(sentence)); }

  @Test
  public void whoPlansIsSaid() throws Exception {
    String said = said("none", 100, "/planned");
    assertSays(said, "Ontime plans this job as job-1 by none.");
    assertFalse(said, said.contains("gives no advice"));
  }

  @Test
  public void thatTheDaemonRefusesIsSaidWithItsReason() throws Exception {
    assertSays(said("split-resume", 100, "/refused"),
        "Ontime does not plan this job, Hadoop's own speculator decides: The policy 'split-resume' does not run on Hadoop");
  }

  @Test
  public void thatTheDaemonIsAwayIsSaid() throws Exception {
    daemon.kill();
    assertSays(said("shed+", 100, "/away"), "Ontime's daemon gives no advice, 127.0.0.1:" + daemon.port());
  }

  /** The first attempt of task 0 takes 1600 s at least. */
  @Test
  public void aJobThatCannotBeCutIsCopiedFromItsBegin() throws Exception {
    String said = said("shed+:" + KNOWN, 200_000, "/copied", "-D",
        "mapreduce.input.fileinputformat.split.minsize=" + Long.MAX_VALUE);
    assertSays(said, "Ontime plans this job as job-1 by s-restart; it cannot be cut");
    JsonNode job = daemon.endedJob("job-1");
    assertEquals("s-restart", job.get("policy").asText());
    assertTrue(job.toString(), job.get("attempts_launched").asInt() > 4);
  }

  /** No launch takes less than a second. */
  @Test
  public void aJobThatIsLateIsHelpedAllTheSame() throws Exception {
    said("shed+:" + KNOWN, 200_000, "/late", "-D", "ontime.deadline=1s");
    JsonNode job = daemon.endedJob("job-1");
    assertEquals("shed+", job.get("policy").asText());
    assertTrue(job.toString(), job.get("attempts_launched").asInt() > 4);
  }
}
