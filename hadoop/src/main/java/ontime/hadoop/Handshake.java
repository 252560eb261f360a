package ontime.hadoop;

import com.google.protobuf.ByteString;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import ontime.wire.Control.Challenge;
import ontime.wire.Control.Hello;
import ontime.wire.Control.HelloReply;
import ontime.wire.Control.Proof;
import ontime.wire.Control.Role;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.security.Credentials;

/**
 * How a connection to the daemon begins: TLS if the job has a certificate, then the frames of
 * common/protocol/control.proto.
 */
final class Handshake {
  static final int PROTOCOL = 2;  // of common/protocol/advise.proto
  private static final int FRAME_MAX = 64 << 20;
  private static final int HANDSHAKE_FRAME_MAX = 64 << 10;

  private Handshake() {}

  static byte[] readFrame(DataInputStream in) throws IOException { return readFrame(in, FRAME_MAX); }

  private static byte[] readFrame(DataInputStream in, int most) throws IOException {
    int length = Integer.reverseBytes(in.readInt());
    if (length < 0 || length > most) throw new IOException("The daemon sent a frame of " + length + " bytes.");
    byte[] payload = new byte[length];
    in.readFully(payload);
    return payload;
  }

  static void writeFrame(DataOutputStream out, byte[] payload) throws IOException {
    out.writeInt(Integer.reverseBytes(payload.length));
    out.write(payload);
    out.flush();
  }

  /** Returns when the daemon has let us in, and has proved that it knows the token too. */
  static void perform(DataInputStream in, DataOutputStream out, Credentials secrets)
      throws IOException, GeneralSecurityException {
    byte[] nonce = new byte[32];
    new SecureRandom().nextBytes(nonce);
    byte[] hello = Hello.newBuilder().setProtocol(PROTOCOL).setRole(Role.APPLICATION_MASTER)
        .setNonce(ByteString.copyFrom(nonce)).build().toByteArray();
    writeFrame(out, hello);
    Challenge challenge = Challenge.parseFrom(readFrame(in, HANDSHAKE_FRAME_MAX));
    refuseIf(challenge.getError());
    byte[] token = token(secrets);
    if (challenge.getWantsToken() && token == null) {
      throw new IOException("The daemon wants a token: set " + Keys.TOKEN_FILE + " or " + Keys.TLS_DIR + ".");
    }
    Proof.Builder proof = Proof.newBuilder();
    if (challenge.getWantsToken()) proof.setProof(ByteString.copyFrom(prove("guest", token, challenge, hello)));
    writeFrame(out, proof.build().toByteArray());
    HelloReply reply = HelloReply.parseFrom(readFrame(in, HANDSHAKE_FRAME_MAX));
    refuseIf(reply.getError());
    if (challenge.getWantsToken()
        && !MessageDigest.isEqual(prove("host", token, challenge, hello), reply.getProof().toByteArray())) {
      throw new IOException("What answers does not know the token, so it is not the daemon.");
    }
  }

  private static void refuseIf(ByteString error) throws IOException {
    if (!error.isEmpty()) throw new IOException("The daemon refuses: " + error.toStringUtf8());
  }

  private static byte[] prove(String side, byte[] token, Challenge challenge, byte[] hello)
      throws GeneralSecurityException {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(token, "HmacSHA256"));
    mac.update(("ontime " + side + " knows the token").getBytes(StandardCharsets.US_ASCII));
    mac.update(challenge.getNonce().toByteArray());
    return mac.doFinal(hello);
  }

  /** Of a line ROLE:TOKEN or ROLE:NAME:TOKEN the last field. */
  private static byte[] token(Credentials secrets) {
    byte[] file = secrets.getSecretKey(new Text(Keys.TOKEN));
    if (file == null) return null;
    String line = new String(file, StandardCharsets.UTF_8).strip();
    return line.substring(line.lastIndexOf(':') + 1).getBytes(StandardCharsets.UTF_8);
  }

  /** The socket itself, or TLS over it if the job has a certificate. It is an error if it should have one. */
  static Socket secure(Socket plain, Settings.Address address, boolean wanted, Credentials secrets)
      throws IOException, GeneralSecurityException {
    byte[] ca = secrets.getSecretKey(new Text(Keys.CA));
    if (ca == null && wanted) {
      throw new IOException(Keys.TLS_DIR + " is set, but the job carries no certificate: it has to be submitted with "
          + "mapreduce.framework.name=ontime.");
    }
    if (ca == null) return plain;
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    store.setCertificateEntry("ca", certificates(ca)[0]);
    store.setKeyEntry("own", key(secrets.getSecretKey(new Text(Keys.KEY))), new char[0],
        certificates(secrets.getSecretKey(new Text(Keys.CERTIFICATE))));
    TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
    trust.init(store);
    KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
    keys.init(store, new char[0]);
    SSLContext context = SSLContext.getInstance("TLSv1.3");
    context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
    SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket(plain, address.host(), address.port(), true);
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");  // the certificate must be for this host
    parameters.setProtocols(new String[] {"TLSv1.3"});
    socket.setSSLParameters(parameters);
    socket.startHandshake();
    return socket;
  }

  private static Certificate[] certificates(byte[] pem) throws GeneralSecurityException {
    Collection<? extends Certificate> all =
        CertificateFactory.getInstance("X.509").generateCertificates(new ByteArrayInputStream(pem));
    return all.toArray(new Certificate[0]);
  }

  private static PrivateKey key(byte[] pem) throws GeneralSecurityException {
    String text = new String(pem, StandardCharsets.US_ASCII).replaceAll("-----[A-Z ]+-----", "").replaceAll("\\s", "");
    return KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(text)));
  }
}
