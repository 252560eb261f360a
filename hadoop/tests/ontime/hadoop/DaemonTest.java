package ontime.hadoop;

import org.junit.After;
import org.junit.AfterClass;
import org.junit.Before;
import org.junit.BeforeClass;

/** A small cluster for all tests of a class, and a new `ontime-master --advise` for each. */
public abstract class DaemonTest {
  protected static HadoopJobs jobs;
  protected RealDaemon daemon;

  @BeforeClass
  public static void startCluster() throws Exception {
    RealDaemon.assumeBuilt();
    jobs = new HadoopJobs();
  }

  @AfterClass
  public static void stopCluster() throws Exception {
    if (jobs != null) jobs.close();
    jobs = null;
  }

  @Before
  public void startDaemon() throws Exception {
    daemon = new RealDaemon();
    daemon.start();
  }

  @After
  public void endDaemon() throws Exception { daemon.close(); }
}
