import java.io.File;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;

/**
 * HDFS on one machine, as Hadoop's own tests start it: a NameNode and two DataNodes in the directory of the first
 * argument. Prints "PORT", where the NameNode's WebHDFS answers, then a line for each DataNode that is to be stopped,
 * which happens when the file of the second argument appears. Ends with the process that has started it. What Java is
 * told with -Ddfs.NAME=VALUE is HDFS's setting of that name.
 */
public final class MiniHdfs {
  public static void main(String[] arguments) throws Exception {
    HdfsConfiguration configuration = new HdfsConfiguration();
    configuration.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, new File(arguments[0]).getAbsolutePath());
    configuration.setInt("dfs.namenode.fs-limits.min-block-size", 1024);
    configuration.setInt("dfs.ls.limit", 5);
    for (String name : System.getProperties().stringPropertyNames()) {
      if (name.startsWith("dfs.")) configuration.set(name, System.getProperty(name));
    }
    MiniDFSCluster cluster = new MiniDFSCluster.Builder(configuration).numDataNodes(2).build();
    cluster.waitActive();
    System.out.println(cluster.getNameNode().getHttpAddress().getPort());
    ProcessHandle.current().parent().get().onExit().thenRun(() -> Runtime.getRuntime().halt(0));
    File order = new File(arguments[1]);
    while (!order.exists()) Thread.sleep(50);
    cluster.stopDataNode(0);
    System.out.println("stopped");
    Thread.currentThread().join();
  }
}
