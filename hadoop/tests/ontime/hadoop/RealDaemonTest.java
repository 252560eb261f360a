package ontime.hadoop;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.Assume;
import org.junit.Test;

/** A job on Hadoop that `ontime-master --advise` plans for, where that program has been built. */
public final class RealDaemonTest {
  @Test
  public void aStragglerIsResumedAndTheOutputIsRight() throws Exception {
    File program = new File(System.getProperty("ontime.test.master", "none"));
    Assume.assumeTrue("There is no " + program + ": this test did not run.", program.canExecute());
    Path directory = Files.createTempDirectory(Path.of(System.getProperty("ontime.test.directory")), "master");
    Path port = directory.resolve("port");
    Process master = new ProcessBuilder(program.getPath(), "--advise", "8", "--listen", "127.0.0.1:0", "--port-file",
        port.toString(), "--journal", directory.resolve("journal").toString()).redirectErrorStream(true)
        .redirectOutput(directory.resolve("master.log").toFile()).start();
    try (HadoopJobs jobs = new HadoopJobs()) {
      while (!Files.exists(port) && master.isAlive()) Thread.sleep(20);
      for (int file = 0; file < 4; ++file) jobs.write("/text/" + file, StockExamplesTest.text(file, 4000));
      String plain = jobs.run(jobs.examples(), "wordcount", "/text", "/plain");
      String ours = jobs.run(jobs.examples(), StockExamplesTest.all("wordcount",
          jobs.ontime(Integer.parseInt(Files.readString(port).strip()), 20_000, "-D",
              "ontime.policy=s-resume:tau_est=12s,tau_kill=14s,t_min=2s,beta=2,fit=flags"), "/text", "/ours"));
      assertArrayEquals(jobs.output("/plain"), jobs.output("/ours"));
      StockExamplesTest.assertSameCounters(plain, ours, "Map input records", "Map output records", "Map output bytes");
      assertTrue("cut and sealed", ours.contains("It has sealed what it mapped up to its cut."));
    } finally {
      master.destroy();
      master.waitFor();
    }
  }
}
