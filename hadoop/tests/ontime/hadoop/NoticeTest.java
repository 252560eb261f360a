package ontime.hadoop;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
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

  @Test
  public void whatIsLongIsShortened() throws Exception {
    Configuration conf = new Configuration();
    Path staging = new Path(Files.createTempDirectory("ontime-notice").toUri());
    Notice client = new Notice(conf, staging);
    Notice master = new Notice(conf, staging);
    FileSystem local = FileSystem.getLocal(conf);
    Path file = new Path(staging, "ontime/notice");
    // Of one to four bytes each, so that the end falls on every byte of a character.
    for (String character : new String[] {"a", "\u00e4", "\u20ac", "\ud83d\ude00"}) {
      for (String before : new String[] {"", "x", "xx", "xxx"}) {
        master.write(false, before + character.repeat(5000));
        assertTrue("it is too long", client.show());
        byte[] written;
        try (FSDataInputStream in = local.open(file)) {
          written = in.readAllBytes();
        }
        assertTrue("as much as fits", written.length <= 4096 && written.length > 4092);
        String text = new String(written, StandardCharsets.UTF_8);
        int characters = (text.length() - before.length() - 2) / character.length();
        assertEquals("-" + before + character.repeat(characters) + "\n", text);
      }
    }
    master.write(false, "y".repeat(4094));
    assertTrue(client.show());
    assertEquals("what just fits is whole", 4096, local.getFileStatus(file).getLen());
  }
}
