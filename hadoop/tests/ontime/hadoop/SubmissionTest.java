package ontime.hadoop;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import java.io.IOException;
import java.net.Socket;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.Credentials;
import org.junit.Test;

/** What cannot be read is refused when a job is submitted, and what is missing when it connects. */
public final class SubmissionTest {
  private static Configuration submitted(String key, String value) throws IOException {
    Configuration job = new Configuration(false);
    job.set(key, value);
    JobRewriter.rewrite(job, SubmissionTest.class.getClassLoader());
    return job;
  }

  private static void assertRefused(String key, String value, String sentence) {
    IOException refused = assertThrows(IOException.class, () -> submitted(key, value));
    assertEquals(key + "=" + value + sentence, refused.getMessage());
  }

  @Test
  public void unreadableSettingsAreRefusedWithASentence() {
    for (String time : new String[] {"soon", "", "-5s", "0", "5 parsecs", "99999999999999999999s", "400000d"}) {
      assertRefused(Keys.DEADLINE, time, " is not a time such as 90s or 5m.");
    }
    assertRefused(Keys.POLL, "often", " is not a time such as 90s or 5m.");
    assertRefused(Keys.SEAL_WAIT, "-1", " is not a time such as 90s or 5m.");
    assertRefused(Keys.CHUNK_MIN, "-1", " is no number.");
    for (String address : new String[] {"master", ":7400", "master:", "master:x", "master:70000"}) {
      assertRefused(Keys.MASTER, address, " is not HOST:PORT.");
    }
    String form = " is not NAME or NAME:KEY=VALUE,...: ";
    assertRefused(Keys.POLICY, "shed+:tail", form + "\"tail\" is not KEY=VALUE.");
    assertRefused(Keys.POLICY, "shed+:tail=1,", form + "\"\" is not KEY=VALUE.");
    assertRefused(Keys.POLICY, ":tail=1", " names no policy.");
  }

  @Test
  public void readableSettingsAreTaken() throws Exception {
    assertEquals(90_000, new Settings(submitted(Keys.DEADLINE, "90")).deadlineMs());
    assertEquals(300_000, new Settings(submitted(Keys.DEADLINE, "5m")).deadlineMs());
    Settings policy = new Settings(submitted(Keys.POLICY, "s-resume:beta=2,fit=a:b"));
    assertEquals("s-resume", policy.policy());
    assertEquals(Map.of("beta", "2", "fit", "a:b"), policy.policyParameters());
    assertEquals(List.of(new Settings.Address("::1", 7400), new Settings.Address("b", 7401)),
        new Settings(submitted(Keys.MASTER, "[::1]:7400, b:7401")).addresses());
  }

  @Test
  public void aJobWithoutTheCertificateThatItShouldHaveDoesNotConnect() throws Exception {
    Settings.Address address = new Settings.Address("localhost", 1);
    try (Socket plain = new Socket()) {
      assertEquals(plain, Handshake.secure(plain, address, false, new Credentials()));
      assertThrows(IOException.class, () -> Handshake.secure(plain, address, true, new Credentials()));
    }
  }
}
