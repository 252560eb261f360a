package ontime.hadoop;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.Assume;

/** `ontime-master --advise` with a journal in a directory of its own, and `ontime`, which asks it. */
final class RealDaemon implements AutoCloseable {
  private static final File PROGRAM = new File(System.getProperty("ontime.test.master", "none"));
  private static final File CLIENT = new File(PROGRAM.getParentFile(), "ontime");
  private static final File LAB = new File(PROGRAM.getParentFile(), "ontime-lab");  // replays

  private final Path directory;
  private Process master;
  private int port;
  private Path tls;  // null without TLS

  RealDaemon() throws IOException {
    directory = Files.createTempDirectory(Path.of(System.getProperty("ontime.test.directory")), "daemon");
  }

  /** Skips the test where the programs have not been built. */
  static void assumeBuilt() {
    for (File program : List.of(PROGRAM, CLIENT, LAB)) {
      Assume.assumeTrue("There is no " + program + ": this test did not run.", program.canExecute());
    }
  }

  Path directory() { return directory; }

  int port() { return port; }

  /** Returns its port: the same one if it was started before. */
  int start(String... more) throws Exception {
    Path file = directory.resolve("port");
    Files.deleteIfExists(file);
    List<String> command = new ArrayList<>(List.of(PROGRAM.getPath(), "--advise", "8", "--listen", "127.0.0.1:" + port,
        "--port-file", file.toString(), "--journal", directory.resolve("journal").toString()));
    command.addAll(List.of(more));
    master = started(command, "master.log");
    port = portIn(file, master);
    return port;
  }

  /** With new certificates and tokens. Returns the directory for `ontime.tls.dir`. */
  Path startWithTls() throws Exception {
    ontime("certs", "cluster", "--host", "127.0.0.1");
    Path certificates = directory.resolve("ontime-certs");
    Path own = certificates.resolve("master");
    start("--tls-ca", own + "/ca.pem", "--tls-cert", own + "/cert.pem", "--tls-key", own + "/key.pem", "--token-file",
        own + "/tokens");
    tls = certificates.resolve("submit");
    return tls;
  }

  private Process started(List<String> command, String log) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(directory.resolve(log).toFile()));
    return builder.start();
  }

  private static int portIn(Path file, Process of) throws Exception {
    while (!Files.exists(file)) {
      if (!of.isAlive()) throw new IOException("It did not start; its log is beside " + file + ".");
      Thread.sleep(20);
    }
    return Integer.parseInt(Files.readString(file).strip());
  }

  /** As a machine that loses its power would. */
  void kill() throws Exception { master.destroyForcibly().waitFor(); }

  void end() throws Exception {
    master.destroy();
    master.waitFor();
  }

  @Override
  public void close() throws Exception {
    if (master != null) kill();
  }

  /** What the client prints. */
  String ontime(String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of(CLIENT.getPath()));
    command.addAll(Arrays.asList(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
    builder.environment().put("ONTIME_MASTER", "127.0.0.1:" + port);
    if (tls != null) builder.environment().put("ONTIME_TLS_DIR", tls.toString());
    builder.redirectError(directory.resolve("client.log").toFile());
    Process client = builder.start();
    String said = new String(client.getInputStream().readAllBytes());
    if (client.waitFor() == 0) return said;
    throw new IOException(command + ": " + said + Files.readString(directory.resolve("client.log")));
  }

  JsonNode json(String... arguments) throws Exception {
    String[] all = Arrays.copyOf(arguments, arguments.length + 1);
    all[arguments.length] = "--json";
    return new ObjectMapper().readTree(ontime(all));
  }

  JsonNode job(String id) throws Exception { return json("job", id); }

  /** The job once it has ended, as Hadoop tells the daemon after it has told its client. */
  JsonNode endedJob(String id) throws Exception {
    while (true) {
      JsonNode job = job(id);
      String state = job.get("state").asText();
      if (!state.equals("running") && !state.equals("committing")) return job;
      Thread.sleep(100);
    }
  }

  /** What `ontime web` gives a Prometheus. */
  String metrics() throws Exception {
    Path file = directory.resolve("web-port");
    Files.deleteIfExists(file);
    Process web = started(List.of(CLIENT.getPath(), "web", "--master", "127.0.0.1:" + port, "--listen", "127.0.0.1:0",
        "--port-file", file.toString()), "web.log");
    try {
      URI from = URI.create("http://127.0.0.1:" + portIn(file, web) + "/metrics");
      return HttpClient.newHttpClient()
          .send(HttpRequest.newBuilder(from).build(), HttpResponse.BodyHandlers.ofString()).body();
    } finally {
      web.destroyForcibly().waitFor();
    }
  }
}
