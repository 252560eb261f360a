package ontime.hadoop;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.RemoteIterator;

/**
 * The cluster of a test run, and `hadoop jar` on it: a client of its own process, which has no class of Ontime before
 * -libjars.
 */
final class HadoopJobs implements AutoCloseable {
  final FileSystem fs;
  private final Path directory;
  private final Process cluster;
  private final String hadoop = System.getProperty("ontime.test.hadoop");   // Hadoop's jars
  private final String plugin = System.getProperty("ontime.test.plugin");   // ontime-hadoop.jar
  private final String helpers = System.getProperty("ontime.test.helpers");  // the tests' own jar
  private final List<Process> clients = new ArrayList<>();
  private int logs;

  HadoopJobs() throws Exception {
    directory = Files.createTempDirectory(Path.of(System.getProperty("ontime.test.directory")), "cluster");
    // In a session of its own, so that ^C in a terminal leaves it the time to end the containers.
    List<String> command = new ArrayList<>(List.of("setsid", java(), "-Xmx768m",
        "--add-opens=java.base/java.lang=ALL-UNNAMED", "-cp", hadoop + ":" + helpers, "ontime.hadoop.MiniCluster",
        directory.toString()));
    cluster = new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true)
        .redirectOutput(directory.resolve("cluster.log").toFile()).start();
    File site = directory.resolve("mapred-site.xml").toFile();
    while (!site.exists()) {
      if (!cluster.isAlive()) throw new IOException("The cluster did not start: " + directory + "/cluster.log");
      Thread.sleep(100);
    }
    Configuration conf = new Configuration();
    conf.addResource(new org.apache.hadoop.fs.Path(site.toURI()));
    fs = FileSystem.get(conf);
  }

  static String java() { return System.getProperty("java.home") + "/bin/java"; }

  /** What the job printed. The jar's classes are found by RunJar, as `hadoop jar` does it. */
  String run(String jar, String... arguments) throws Exception {
    Process client = start(jar, arguments);
    int status = client.waitFor();
    String said = Files.readString(directory.resolve("client-" + logs + ".log"));
    if (status != 0) throw new IOException("The job failed (" + directory + "): " + said);
    return said;
  }

  Process start(String jar, String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of(java(), "-Xmx256m"));
    command.addAll(List.of(MiniCluster.QUICK.split(" ")));
    command.addAll(List.of("-cp", directory + ":" + hadoop, "org.apache.hadoop.util.RunJar", jar));
    command.addAll(Arrays.asList(arguments));
    clients.add(new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true)
        .redirectOutput(directory.resolve("client-" + ++logs + ".log").toFile()).start());
    return clients.get(clients.size() - 1);
  }

  /** Ends a process that YARN has started or is about to, whose command line has this in it. */
  void kill(String part) throws InterruptedException {
    long until = System.nanoTime() + 600_000_000_000L;
    while (System.nanoTime() < until) {
      for (ProcessHandle child : cluster.descendants().toList()) {
        String line = child.info().commandLine().orElse("");
        if (line.contains(part) && line.contains("-Dlog4j") && child.children().findAny().isEmpty()) {
          child.destroyForcibly();
          return;
        }
      }
      Thread.sleep(20);
    }
    throw new IllegalStateException("There is no process of " + part);
  }

  String lastLog() throws IOException { return Files.readString(directory.resolve("client-" + logs + ".log")); }

  Path directory() { return directory; }

  /** Of the stock examples. */
  String examples() {
    for (String jar : hadoop.split(":")) {
      if (jar.contains("hadoop-mapreduce-examples-")) return jar;
    }
    throw new IllegalStateException("no examples");
  }

  String helpers() { return helpers; }

  String plugin() { return plugin; }

  /** Options of a job with Ontime; `slow` microseconds for each key and value of the straggler. */
  String[] ontime(int port, long slow, String... more) {
    List<String> options = new ArrayList<>(List.of("-libjars", plugin + "," + helpers,
        "-D", "mapreduce.framework.name=ontime", "-D", "ontime.master=127.0.0.1:" + port,
        "-D", "ontime.deadline=90s", "-D", "ontime.policy=shed+", "-D", "ontime.poll=100ms",
        "-D", "ontime.chunk.min=512", "-D", "mapreduce.task.progress-report.interval=100",
        "-D", "io.serializations=ontime.hadoop.SlowSerialization", "-D", "ontime.test.slow=" + slow));
    options.addAll(Arrays.asList(more));
    return options.toArray(new String[0]);
  }

  void write(String path, String text) throws IOException {
    try (FSDataOutputStream out = fs.create(new org.apache.hadoop.fs.Path(path))) {
      out.write(text.getBytes(StandardCharsets.UTF_8));
    }
  }

  /** All files of an output, one after another in the order of their names, those in subdirectories among them. */
  byte[] output(String path) throws IOException {
    TreeMap<String, byte[]> files = new TreeMap<>();
    RemoteIterator<LocatedFileStatus> all = fs.listFiles(new org.apache.hadoop.fs.Path(path), true);
    while (all.hasNext()) {
      org.apache.hadoop.fs.Path file = all.next().getPath();
      if (!file.getName().startsWith("part-")) continue;
      try (FSDataInputStream in = fs.open(file)) {
        files.put(file.toString(), in.readAllBytes());
      }
    }
    ByteArrayOutputStream joined = new ByteArrayOutputStream();
    for (byte[] file : files.values()) joined.writeBytes(file);
    return joined.toByteArray();
  }

  @Override
  public void close() throws Exception {
    fs.close();
    List<ProcessHandle> containers = cluster.descendants().toList();  // of jobs that have not ended
    cluster.destroyForcibly().waitFor();
    containers.forEach(ProcessHandle::destroyForcibly);
    clients.forEach(Process::destroyForcibly);
  }
}
