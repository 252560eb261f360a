package ontime.hadoop;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.util.List;
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

  private final List<Settings.Address> addresses;  // of which one leads; the others refuse us
  private final boolean wantsTls;
  private final Credentials secrets;
  private final Listener listener;
  private final Thread thread = new Thread(this, "ontime-daemon");
  private volatile boolean stopped;
  private volatile long pause = FIRST_PAUSE_MS;  // before it connects again
  private volatile Socket socket;
  private volatile DataOutputStream out;

  Daemon(List<Settings.Address> addresses, boolean wantsTls, Credentials secrets, Listener listener) {
    this.addresses = addresses;
    this.wantsTls = wantsTls;
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

  /** Until it is tried again after a loss; short again when the daemon has taken the job. */
  long pause() { return pause; }

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
    for (int next = 0; !stopped;) {
      String why;
      boolean answered = false;
      Settings.Address address = addresses.get(next);
      try (Socket plain = new Socket()) {
        plain.connect(new InetSocketAddress(address.host(), address.port()), 5000);
        plain.setSoTimeout(SILENCE_MS);
        plain.setTcpNoDelay(true);
        socket = Handshake.secure(plain, address, wantsTls, secrets);
        DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
        DataOutputStream to = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
        Handshake.perform(in, to, secrets);
        out = to;
        answered = true;
        listener.connected();
        while (!stopped) receive(ToApplication.parseFrom(Handshake.readFrame(in)));
        why = "stopped";
      } catch (IOException | GeneralSecurityException | RuntimeException failed) {
        why = failed.getMessage() == null ? failed.getClass().getSimpleName() : failed.getMessage();
      }
      out = null;
      if (stopped) return;
      listener.lost(address.host() + ":" + address.port() + (answered ? ": connection lost: " : ": ") + why);
      next = (next + 1) % addresses.size();
      if (next == 0) waitToConnect();
    }
  }

  private void receive(ToApplication message) {
    if (message.hasAccepted()) pause = FIRST_PAUSE_MS;
    listener.received(message);
  }

  private void waitToConnect() {
    try {
      Thread.sleep(pause);
    } catch (InterruptedException ends) {
      stopped = true;
    }
    pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
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
