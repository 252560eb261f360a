package ontime.hadoop;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import ontime.shaded.protobuf.ByteString;
import ontime.wire.Advise.ToAdvisor;
import ontime.wire.Advise.ToApplication;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.security.Credentials;
import org.junit.After;
import org.junit.Assume;
import org.junit.Before;
import org.junit.Test;

/** The jar and `ontime-master --advise`, where that program has been built. */
public final class RealDaemonTest {
  private final File program = new File(System.getProperty("ontime.test.master", "none"));
  private Path directory;
  private Process master;

  @Before
  public void makeDirectory() throws Exception {
    Assume.assumeTrue("There is no " + program + ": this test did not run.", program.canExecute());
    directory = Files.createTempDirectory(Path.of(System.getProperty("ontime.test.directory")), "master");
  }

  @After
  public void endMaster() throws Exception {
    if (master == null) return;
    master.destroy();
    master.waitFor();
  }

  /** Its port. */
  private int start(String... more) throws Exception {
    Path port = directory.resolve("port");
    List<String> command = new ArrayList<>(List.of(program.getPath(), "--advise", "8", "--listen", "127.0.0.1:0",
        "--port-file", port.toString(), "--journal", directory.resolve("journal").toString()));
    command.addAll(List.of(more));
    master = new ProcessBuilder(command).redirectErrorStream(true)
        .redirectOutput(directory.resolve("master.log").toFile()).start();
    while (!Files.exists(port)) {
      assertTrue(Files.readString(directory.resolve("master.log")), master.isAlive());
      Thread.sleep(20);
    }
    return Integer.parseInt(Files.readString(port).strip());
  }

  /** What the daemon answers to a job of one task, or why there is no connection. */
  private static Object answer(int port, Credentials secrets) throws Exception {
    LinkedBlockingQueue<Object> answers = new LinkedBlockingQueue<>();
    Daemon[] daemon = new Daemon[1];
    daemon[0] = new Daemon(new Settings.Address("127.0.0.1", port), false, secrets, new Daemon.Listener() {
      @Override
      public void connected() {
        daemon[0].send(ToAdvisor.newBuilder().setJob(ToAdvisor.Job.newBuilder()
            .setId(ByteString.copyFromUtf8("job_1_0001")).setApplication(ByteString.copyFromUtf8("a"))
            .setPolicy(ByteString.copyFromUtf8("none")).setResumable(true)
            .addTasks(ToAdvisor.Task.newBuilder().setPath(ByteString.copyFromUtf8("/in")).setLength(10))).build());
      }

      @Override
      public void received(ToApplication message) { answers.add(message.getWhatCase()); }

      @Override
      public void lost(String why) { answers.add(why); }
    });
    daemon[0].start();
    try {
      return answers.poll(60, TimeUnit.SECONDS);
    } finally {
      daemon[0].stop();
    }
  }

  @Test
  public void aJobIsAccepted() throws Exception {
    assertEquals(ToApplication.WhatCase.ACCEPTED, answer(start(), new Credentials()));
  }

  @Test
  public void aTokenIsAskedForAndProved() throws Exception {
    Path tokens = directory.resolve("tokens");
    Files.writeString(tokens, "submit:alice:0123456789abcdef0123456789abcdef\n");
    assertTrue(tokens.toFile().setReadable(false, false) && tokens.toFile().setReadable(true, true));
    int port = start("--token-file", tokens.toString());
    Credentials secrets = new Credentials();
    assertTrue(answer(port, secrets).toString().contains("wants a token"));
    secrets.addSecretKey(new Text(Keys.TOKEN), Files.readAllBytes(tokens));
    assertEquals(ToApplication.WhatCase.ACCEPTED, answer(port, secrets));
    secrets.addSecretKey(new Text(Keys.TOKEN), "another".getBytes());
    assertTrue(answer(port, secrets) instanceof String);
  }

  @Test
  public void tlsWithCertificatesOfBothSides() throws Exception {
    File ontime = new File(program.getParentFile(), "ontime");
    Assume.assumeTrue("There is no " + ontime + ": this test did not run.", ontime.canExecute());
    Process certs = new ProcessBuilder(ontime.getPath(), "certs", "cluster", "--host", "127.0.0.1")
        .directory(directory.toFile()).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
    assertEquals(0, certs.waitFor());
    Path of = directory.resolve("ontime-certs");
    Path own = of.resolve("master");
    int port = start("--tls-ca", own + "/ca.pem", "--tls-cert", own + "/cert.pem", "--tls-key", own + "/key.pem",
        "--token-file", own + "/tokens");
    Credentials secrets = new Credentials();
    secrets.addSecretKey(new Text(Keys.CA), Files.readAllBytes(of.resolve("submit/ca.pem")));
    secrets.addSecretKey(new Text(Keys.CERTIFICATE), Files.readAllBytes(of.resolve("submit/cert.pem")));
    secrets.addSecretKey(new Text(Keys.KEY), Files.readAllBytes(of.resolve("submit/key.pem")));
    secrets.addSecretKey(new Text(Keys.TOKEN), Files.readAllBytes(of.resolve("submit/token")));
    assertEquals(ToApplication.WhatCase.ACCEPTED, answer(port, secrets));
  }

  @Test
  public void aStragglerIsResumedAndTheOutputIsRight() throws Exception {
    int port = start();
    try (HadoopJobs jobs = new HadoopJobs()) {
      for (int file = 0; file < 4; ++file) jobs.write("/text/" + file, StockExamplesTest.text(file, 4000));
      String plain = jobs.run(jobs.examples(), "wordcount", "/text", "/plain");
      String policy = "ontime.policy=s-resume:tau_est=12s,tau_kill=14s,t_min=2s,beta=2,fit=flags";
      String ours = jobs.run(jobs.examples(),
          StockExamplesTest.all("wordcount", jobs.ontime(port, 20_000, "-D", policy), "/text", "/ours"));
      assertArrayEquals(jobs.output("/plain"), jobs.output("/ours"));
      StockExamplesTest.assertSameCounters(plain, ours, "Map input records", "Map output records", "Map output bytes");
      assertTrue("cut and sealed", ours.contains("It has sealed what it mapped up to its cut."));
    }
  }
}
