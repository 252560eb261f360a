package ontime.hadoop;

import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.nio.file.Files;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.Test;

/** What an application master writes, a client shows once. */
public final class NoticeTest {
  @Test
  public void whatIsNewIsShownOnce() throws Exception {
    Configuration conf = new Configuration();
    Path staging = new Path(Files.createTempDirectory("ontime-notice").toUri());
    Notice client = new Notice(conf, staging);
    assertFalse("there is nothing yet", client.show());
    Notice master = new Notice(conf, staging);
    master.write(false, "It is not planned.\nNot at all.");
    assertTrue(client.show());
    assertFalse("it has been shown", client.show());
    master.write(true, "It is planned.");
    assertTrue(client.show());
    FileSystem local = FileSystem.getLocal(conf);
    try (FSDataOutputStream half = local.create(new Path(staging, "ontime/notice"), true)) {
      half.writeBytes("-It is n");
    }
    assertFalse("half of it is there", client.show());
  }
}
