package ontime.hadoop;

import java.io.File;
import java.io.FileOutputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.mapreduce.v2.MiniMRYarnCluster;
import org.apache.hadoop.yarn.conf.YarnConfiguration;

/**
 * HDFS and YARN on one machine, as Hadoop's own tests start them, without a class of Ontime: its jar comes with the
 * jobs. Writes what clients need to know, mapred-site.xml last, into the directory of its argument. Ends with the
 * process that started it, and ends the containers of jobs too.
 */
public final class MiniCluster {
  /** Options of a JVM that lives for seconds: it is to start quickly, and need not become fast. */
  static final String QUICK = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1";
  private static final List<String> PROCESSES = List.of("mapreduce.map.java.opts", "mapreduce.reduce.java.opts",
      "yarn.app.mapreduce.am.command-opts");

  public static void main(String[] arguments) {
    try {
      run(arguments);
    } catch (Exception failed) {
      failed.printStackTrace();
      Runtime.getRuntime().halt(1);
    }
  }

  private static void end() {
    ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
    Runtime.getRuntime().halt(0);
  }

  private static void run(String[] arguments) throws Exception {
    File directory = new File(arguments[0]).getAbsoluteFile();
    ProcessHandle.current().parent().get().onExit().thenRun(MiniCluster::end);
    Configuration conf = new HdfsConfiguration();
    conf.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, new File(directory, "hdfs").getPath());
    conf.setInt("dfs.namenode.fs-limits.min-block-size", 1024);
    MiniDFSCluster hdfs = new MiniDFSCluster.Builder(conf).numDataNodes(1).build();
    hdfs.waitActive();
    conf.set("fs.defaultFS", hdfs.getURI().toString());
    conf.setInt("yarn.resourcemanager.nodemanagers.heartbeat-interval-ms", 100);
    conf.setInt(YarnConfiguration.RM_SCHEDULER_MINIMUM_ALLOCATION_MB, 64);
    conf.setInt("yarn.nodemanager.resource.cpu-vcores", 32);
    conf.setBoolean("yarn.nodemanager.vmem-check-enabled", false);
    conf.setBoolean("yarn.nodemanager.pmem-check-enabled", false);
    conf.setInt("yarn.resourcemanager.am.max-attempts", 3);
    System.setProperty("test.build.data", new File(directory, "yarn").getPath());
    MiniMRYarnCluster yarn = new MiniMRYarnCluster("ontime", 2);
    yarn.init(conf);
    yarn.start();
    Configuration clients = new Configuration(yarn.getConfig());
    clients.setInt("mapreduce.client.completion.pollinterval", 100);
    clients.setInt("mapreduce.client.progressmonitor.pollinterval", 100);
    clients.setInt("mapreduce.map.memory.mb", 256);
    clients.setInt("mapreduce.reduce.memory.mb", 256);
    clients.setInt("yarn.app.mapreduce.am.resource.mb", 256);
    clients.setInt("mapreduce.task.io.sort.mb", 8);
    for (String process : PROCESSES) clients.set(process, "-Xmx200m " + QUICK);
    Path file = new File(directory, "core-site.xml").toPath();
    try (OutputStream out = new FileOutputStream(file.toFile())) {
      clients.writeXml(out);
    }
    Files.copy(file, new File(directory, "yarn-site.xml").toPath());  // each overrides defaults that are read before it
    Path last = new File(directory, "new.xml").toPath();
    Files.copy(file, last);
    Files.move(last, new File(directory, "mapred-site.xml").toPath());
    Thread.currentThread().join();
  }
}
