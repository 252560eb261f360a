package ontime.hadoop;

import static org.junit.Assert.assertEquals;

import java.net.ServerSocket;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import ontime.wire.Advise.ToAdvisor;
import ontime.wire.Advise.ToApplication;
import org.apache.hadoop.security.Credentials;
import org.junit.Test;

/** When a lost connection to the daemon is made again. */
public final class ConnectionTest {
  private final LinkedBlockingQueue<Long> pauses = new LinkedBlockingQueue<>();

  private List<Long> pausesOfThreeLosses(ScriptedDaemon server, ToAdvisor first) throws Exception {
    Daemon[] daemon = new Daemon[1];
    Settings.Address address = new Settings.Address("127.0.0.1", server.port());
    daemon[0] = new Daemon(List.of(address), false, new Credentials(), new Daemon.Listener() {
      @Override
      public void connected() {
        daemon[0].send(first);
        if (!first.hasJob()) server.disconnect();
      }

      @Override
      public void received(ToApplication message) {
        if (message.hasAccepted()) server.disconnect();
      }

      @Override
      public void lost(String why) { pauses.add(daemon[0].pause()); }
    });
    daemon[0].start();
    try {
      return List.of(pauses.take(), pauses.take(), pauses.take());
    } finally {
      daemon[0].stop();
    }
  }

  @Test(timeout = 300_000)
  public void aDaemonThatLetsUsInButTakesNoJobIsAskedLessAndLessOften() throws Exception {
    try (ScriptedDaemon server = new ScriptedDaemon(0, (self, event) -> { })) {
      ToAdvisor nothing = ToAdvisor.newBuilder().setAlive(ToAdvisor.Alive.newBuilder()).build();
      assertEquals(List.of(1000L, 2000L, 4000L), pausesOfThreeLosses(server, nothing));
    }
  }

  @Test(timeout = 300_000)
  public void ofSeveralTheNextIsAskedAtOnce() throws Exception {
    int closed;
    try (ServerSocket none = new ServerSocket(0)) { closed = none.getLocalPort(); }
    LinkedBlockingQueue<String> said = new LinkedBlockingQueue<>();
    try (ScriptedDaemon server = new ScriptedDaemon(0, (self, event) -> { })) {
      List<Settings.Address> both = List.of(new Settings.Address("127.0.0.1", closed),
          new Settings.Address("127.0.0.1", server.port()));
      Daemon daemon = new Daemon(both, false, new Credentials(), new Daemon.Listener() {
        @Override
        public void connected() { said.add("connected"); }

        @Override
        public void received(ToApplication message) {}

        @Override
        public void lost(String why) { said.add(why.substring(0, why.indexOf(": "))); }
      });
      daemon.start();
      assertEquals(List.of("127.0.0.1:" + closed, "connected"), List.of(said.take(), said.take()));
      assertEquals("no pause in between", 1000L, daemon.pause());
      daemon.stop();
    }
  }

  @Test(timeout = 300_000)
  public void aDaemonThatHasTakenTheJobIsAskedAgainSoon() throws Exception {
    try (ScriptedDaemon server = new ScriptedDaemon(0, (self, event) -> { })) {
      ToAdvisor job = ToAdvisor.newBuilder().setJob(ToAdvisor.Job.newBuilder()).build();
      assertEquals(List.of(1000L, 1000L, 1000L), pausesOfThreeLosses(server, job));
    }
  }
}
