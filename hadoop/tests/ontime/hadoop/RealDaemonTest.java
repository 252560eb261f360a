package ontime.hadoop;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import ontime.shaded.protobuf.ByteString;
import ontime.wire.Advise.ToAdvisor;
import ontime.wire.Advise.ToApplication;
import ontime.wire.Types.JobSettings;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.security.Credentials;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;

/** The jar's connection to `ontime-master --advise`, where that program has been built. */
public final class RealDaemonTest {
  private RealDaemon daemon;

  @Before
  public void makeDaemon() throws Exception {
    RealDaemon.assumeBuilt();
    daemon = new RealDaemon();
  }

  @After
  public void endDaemon() throws Exception {
    if (daemon != null) daemon.close();
  }

  /** What the daemon answers to a job of one task, or why there is no connection. */
  private static Object answer(int port, Credentials secrets) throws Exception {
    LinkedBlockingQueue<Object> answers = new LinkedBlockingQueue<>();
    Daemon[] daemon = new Daemon[1];
    daemon[0] = new Daemon(List.of(new Settings.Address("127.0.0.1", port)), false, secrets, new Daemon.Listener() {
      @Override
      public void connected() {
        daemon[0].send(ToAdvisor.newBuilder().setJob(ToAdvisor.Job.newBuilder()
            .setId(ByteString.copyFromUtf8("job_1_0001")).setApplication(ByteString.copyFromUtf8("a"))
            .setSettings(JobSettings.newBuilder().setPolicy(ByteString.copyFromUtf8("none"))).setResumable(true)
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
    assertEquals(ToApplication.WhatCase.ACCEPTED, answer(daemon.start(), new Credentials()));
  }

  @Test
  public void aTokenIsAskedForAndProved() throws Exception {
    Path tokens = daemon.directory().resolve("tokens");
    Files.writeString(tokens, "submit:alice:0123456789abcdef0123456789abcdef\n");
    assertTrue(tokens.toFile().setReadable(false, false) && tokens.toFile().setReadable(true, true));
    int port = daemon.start("--token-file", tokens.toString());
    Credentials secrets = new Credentials();
    assertTrue(answer(port, secrets).toString().contains("wants a token"));
    secrets.addSecretKey(new Text(Keys.TOKEN), Files.readAllBytes(tokens));
    assertEquals(ToApplication.WhatCase.ACCEPTED, answer(port, secrets));
    secrets.addSecretKey(new Text(Keys.TOKEN), "another".getBytes());
    assertTrue(answer(port, secrets) instanceof String);
  }

  @Test
  public void tlsWithCertificatesOfBothSides() throws Exception {
    Path of = daemon.startWithTls();
    Credentials secrets = new Credentials();
    secrets.addSecretKey(new Text(Keys.CA), Files.readAllBytes(of.resolve("ca.pem")));
    secrets.addSecretKey(new Text(Keys.CERTIFICATE), Files.readAllBytes(of.resolve("cert.pem")));
    secrets.addSecretKey(new Text(Keys.KEY), Files.readAllBytes(of.resolve("key.pem")));
    secrets.addSecretKey(new Text(Keys.TOKEN), Files.readAllBytes(of.resolve("token")));
    assertEquals(ToApplication.WhatCase.ACCEPTED, answer(daemon.port(), secrets));
  }
}
