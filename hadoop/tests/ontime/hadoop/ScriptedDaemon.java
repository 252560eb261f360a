package ontime.hadoop;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import ontime.wire.Advise.AdviceOrder;
import ontime.wire.Advise.AttemptEvent;
import ontime.wire.Advise.ToAdvisor;
import ontime.wire.Advise.ToApplication;
import ontime.wire.Control.Challenge;
import ontime.wire.Control.HelloReply;

/** Stands in for `ontime-master --advise`: takes every job, remembers what it is told, and orders what a test says. */
final class ScriptedDaemon implements AutoCloseable {
  private static final long AWAIT_NS = 600_000_000_000L;  // on any machine it has said so long before

  private final ServerSocket server;
  private final List<AttemptEvent> events = new ArrayList<>();
  private final List<ToAdvisor> messages = new ArrayList<>();
  private final BiConsumer<ScriptedDaemon, AttemptEvent> script;
  private volatile DataOutputStream out;
  private volatile Socket socket;
  private int nextOrder = 1;

  ScriptedDaemon(int port, BiConsumer<ScriptedDaemon, AttemptEvent> script) throws IOException {
    this.script = script;
    server = new ServerSocket(port, 10, InetAddress.getLoopbackAddress());
    Thread thread = new Thread(this::accept, "scripted-daemon");
    thread.setDaemon(true);
    thread.start();
  }

  int port() { return server.getLocalPort(); }

  private void accept() {
    while (!server.isClosed()) {
      try (Socket connection = server.accept()) {
        socket = connection;
        serve(connection);
      } catch (IOException ended) {
        // the next one
      }
    }
  }

  private void serve(Socket connection) throws IOException {
    DataInputStream in = new DataInputStream(connection.getInputStream());
    DataOutputStream to = new DataOutputStream(connection.getOutputStream());
    Handshake.readFrame(in);
    Handshake.writeFrame(to, Challenge.newBuilder().build().toByteArray());
    Handshake.readFrame(in);
    Handshake.writeFrame(to, HelloReply.newBuilder().setEpoch(1).build().toByteArray());
    out = to;
    while (true) take(ToAdvisor.parseFrom(Handshake.readFrame(in)));
  }

  private void take(ToAdvisor message) throws IOException {
    synchronized (this) {
      if (!message.hasAlive()) messages.add(message);
      events.addAll(message.getEvents().getEventsList());
      notifyAll();
    }
    ToApplication.Accepted accepted = ToApplication.Accepted.newBuilder().setJob(1).build();
    if (message.hasJob()) send(ToApplication.newBuilder().setAccepted(accepted).build());
    else send(ToApplication.newBuilder().setAlive(ToApplication.Alive.newBuilder()).build());
    for (AttemptEvent event : message.getEvents().getEventsList()) script.accept(this, event);
  }

  private synchronized void send(ToApplication message) {
    try {
      Handshake.writeFrame(out, message.toByteArray());
    } catch (IOException gone) {
      // it connects again
    }
  }

  void order(AdviceOrder.Builder order) {
    send(ToApplication.newBuilder().setOrders(ToApplication.Orders.newBuilder().addOrders(order)).build());
  }

  synchronized void cut(AttemptEvent event, long at) {
    order(AdviceOrder.newBuilder().setCut(
        AdviceOrder.OrderCut.newBuilder().setTask(event.getTask()).setAttempt(event.getAttempt()).setAt(at)));
  }

  synchronized void add(int task, long begin) {
    order(AdviceOrder.newBuilder().setAdd(
        AdviceOrder.AddAttempt.newBuilder().setTask(task).setOrder(nextOrder++).setBegin(begin)));
  }

  synchronized List<AttemptEvent> events() { return new ArrayList<>(events); }

  synchronized List<ToAdvisor> messages() { return new ArrayList<>(messages); }

  /** Until it has been told this; what an application master says last comes after its client knows of the end. */
  synchronized void await(Predicate<ToAdvisor> what) throws InterruptedException {
    long until = System.nanoTime() + AWAIT_NS;
    while (messages.stream().noneMatch(what)) {
      if (System.nanoTime() > until) throw new AssertionError("An application master has not said how its job ended.");
      wait(1000);
    }
  }

  /** Closes the connection; the application master makes another one. */
  void disconnect() {
    try {
      socket.close();
    } catch (IOException closed) {
      // it is
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
    if (socket != null) socket.close();
  }
}
