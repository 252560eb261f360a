package ontime.hadoop;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.security.GeneralSecurityException;
import ontime.wire.Advise.ToAdvisor;
import ontime.wire.Advise.ToApplication;
import org.apache.hadoop.security.Credentials;

/** The connection to `ontime-master --advise`: made again, with longer and longer pauses, until it is stopped. */
final class Daemon implements Runnable {
  /** Called by the connection's thread. */
  interface Listener {
    void connected();
    void received(ToApplication message);
    void lost(String why);
  }

  private static final long FIRST_PAUSE_MS = 1000;
  private static final long LONGEST_PAUSE_MS = 30_000;
  private static final int SILENCE_MS = 30_000;  // the daemon says something every 5 s

  private final String host;
  private final int port;
  private final Credentials secrets;
  private final Listener listener;
  private final Thread thread = new Thread(this, "ontime-daemon");
  private volatile boolean stopped;
  private volatile Socket socket;
  private volatile DataOutputStream out;

  Daemon(String address, Credentials secrets, Listener listener) {
    int colon = address.lastIndexOf(':');
    if (colon <= 0) throw new IllegalArgumentException(Keys.MASTER + "=" + address + " is not HOST:PORT.");
    host = address.substring(0, colon).replaceAll("^\\[|\\]$", "");
    port = Integer.parseInt(address.substring(colon + 1));
    this.secrets = secrets;
    this.listener = listener;
    thread.setDaemon(true);
  }

  void start() { thread.start(); }

  void stop() {
    stopped = true;
    thread.interrupt();
    close();
  }

  /** What cannot be sent is said again after the next connection. */
  void send(ToAdvisor message) {
    DataOutputStream to = out;
    if (to == null) return;
    try {
      Handshake.writeFrame(to, message.toByteArray());
    } catch (IOException broken) {
      close();
    }
  }

  @Override
  public void run() {
    long pause = FIRST_PAUSE_MS;
    while (!stopped) {
      String why;
      boolean answered = false;
      try (Socket plain = new Socket()) {
        plain.connect(new InetSocketAddress(host, port), 5000);
        plain.setSoTimeout(SILENCE_MS);
        plain.setTcpNoDelay(true);
        socket = Handshake.secure(plain, host, port, secrets);
        DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
        DataOutputStream to = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
        Handshake.perform(in, to, secrets);
        out = to;
        answered = true;
        pause = FIRST_PAUSE_MS;
        listener.connected();
        while (!stopped) listener.received(ToApplication.parseFrom(Handshake.readFrame(in)));
        why = "stopped";
      } catch (IOException | GeneralSecurityException | RuntimeException failed) {
        why = failed.getMessage() == null ? failed.getClass().getSimpleName() : failed.getMessage();
      }
      out = null;
      if (stopped) return;
      listener.lost(host + ":" + port + (answered ? ": connection lost: " : ": ") + why);
      pause = waitFor(pause);
    }
  }

  private long waitFor(long pause) {
    try {
      Thread.sleep(pause);
    } catch (InterruptedException ends) {
      stopped = true;
    }
    return Math.min(2 * pause, LONGEST_PAUSE_MS);
  }

  private void close() {
    Socket open = socket;
    if (open == null) return;
    try {
      open.close();
    } catch (IOException closed) {
      // it is
    }
  }
}
