#include "common/hash/sha256.h"

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "common/base/wording.h"

namespace ontime::hash {
namespace {

// FIPS 180-4 and RFC 4231.
TEST(Sha256Test, AnswersAsTheStandardsExamples) {
  EXPECT_EQ(hex_digits(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex_digits(hmac_sha256("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(hex_digits(hmac_sha256(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First")),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

RC_GTEST_PROP(Sha256Test, AnswersAsOpenSslDoes, ()) {
  const auto key = *rc::gen::resize(200, rc::gen::arbitrary<std::string>());
  const auto text = *rc::gen::resize(400, rc::gen::arbitrary<std::string>());
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  unsigned char expected[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes, text.size(), expected, &size);
  RC_ASSERT(hmac_sha256(key, text) == std::string(reinterpret_cast<char*>(expected), size));

  EVP_Digest(text.data(), text.size(), expected, &size, EVP_sha256(), nullptr);
  const auto cut = *rc::gen::inRange<std::size_t>(0, text.size() + 1);
  Sha256 in_pieces;
  in_pieces.add(std::string_view(text).substr(0, cut));
  in_pieces.add(std::string_view(text).substr(cut));
  RC_ASSERT(in_pieces.digest() == std::string(reinterpret_cast<char*>(expected), size));
}

}  // namespace
}  // namespace ontime::hash
