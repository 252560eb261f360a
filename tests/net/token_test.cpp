#include "common/net/token.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <optional>

#include "tests/support/temporary_directory.h"

namespace ontime::net {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// The token of ours that has this secret.
std::optional<Token> find(const Tokens& tokens, std::string_view secret) {
  for (const Token& token : tokens.all()) {
    if (token.secret == secret) return token;
  }
  return std::nullopt;
}

Tokens tokens_in(std::string_view text) {
  auto tokens = Tokens::parse(text);
  EXPECT_TRUE(tokens) << tokens.error().message;
  return tokens ? *tokens : Tokens();
}

std::string complaint(std::string_view text) {
  const auto tokens = Tokens::parse(text);
  if (tokens) return "(none)";
  EXPECT_EQ(tokens.error().kind, ErrorKind::BadInput);
  return tokens.error().message;
}

TEST(Roles, HaveExactlyTheRightsOfTheTable) {
  struct Row {
    const char* role;
    bool reads, submits, controls, registers;
  };
  for (const Row& row : {Row{"read-only", true, false, false, false}, Row{"submit", true, true, false, false},
                         Row{"admin", true, true, true, false}, Row{"worker", true, false, false, true}}) {
    const auto rights = rights_of_role(row.role);
    ASSERT_TRUE(rights) << row.role;
    EXPECT_EQ(rights->has(Right::Read), row.reads) << row.role;
    EXPECT_EQ(rights->has(Right::Submit), row.submits) << row.role;
    EXPECT_EQ(rights->has(Right::Control), row.controls) << row.role;
    EXPECT_EQ(rights->has(Right::Register), row.registers) << row.role;
  }
  for (const char* other : {"", "all", "Admin", "admin ", "root"}) EXPECT_FALSE(rights_of_role(other)) << other;
}

TEST(Rights, UniteAndIntersect) {
  const Rights both = Rights(Right::Read) | Right::Submit;
  EXPECT_EQ(both & Rights::all(), both);
  EXPECT_EQ(both & Rights(Right::Submit), Rights(Right::Submit));
  EXPECT_TRUE((both & Rights(Right::Control)).is_empty());
}

TEST(Tokens, OneWithoutARoleOpensEverything) {
  for (const char* text : {"secret", "secret\n", "  secret \r\n", "# ours\n\nsecret\n"}) {
    const Tokens tokens = tokens_in(text);
    ASSERT_EQ(tokens.all().size(), 1u) << text;
    EXPECT_EQ(tokens.all().front().secret, "secret") << text;
    EXPECT_EQ(tokens.all().front().rights(), Rights::all());
    EXPECT_EQ(tokens.all().front().describe(), "token of every role");
  }
  EXPECT_TRUE(Tokens::single("").is_empty());
}

TEST(Tokens, OnesWithARoleOpenWhatTheRoleMay) {
  const Tokens tokens = tokens_in("# people\nsubmit:one\nadmin : two\r\n\nworker:three\nread-only:four");
  ASSERT_EQ(tokens.all().size(), 4u);
  EXPECT_EQ(find(tokens, "one")->rights(), *rights_of_role("submit"));
  EXPECT_EQ(find(tokens, "two")->rights(), *rights_of_role("admin"));
  EXPECT_EQ(find(tokens, "three")->rights(), *rights_of_role("worker"));
  EXPECT_EQ(find(tokens, "four")->rights(), *rights_of_role("read-only"));
}

// What is on a line that is wrong may be a token; what make_token() gives is no name, so it is never shown as one.
TEST(Tokens, ALineInTheWrongOrderGivesNothingAway) {
  const std::string secret = make_token();
  for (const std::string& line : {secret + ":submit", "submit:" + secret + ":alice", secret + ":alice:submit"}) {
    EXPECT_THAT(complaint(line), AllOf(Not("(none)"), Not(HasSubstr(secret)))) << line;
  }
}

TEST(Tokens, OnesWithANameAreTellableApart) {
  const Tokens tokens = tokens_in("submit:alice:one\nsubmit : bob.b-2_x : two\nsubmit:three\n");
  EXPECT_EQ(find(tokens, "one")->name, "alice");
  EXPECT_EQ(find(tokens, "one")->rights(), *rights_of_role("submit"));
  EXPECT_EQ(find(tokens, "one")->describe(), "token of alice (submit)");
  EXPECT_EQ(find(tokens, "two")->name, "bob.b-2_x");
  EXPECT_EQ(find(tokens, "three")->name, "submit");
  EXPECT_EQ(find(tokens, "three")->describe(), "token of submit");
}

TEST(Tokens, AcceptThoseThatAreTheSameInEveryPart) {
  const Tokens tokens = tokens_in("submit:alice:one\n");
  EXPECT_TRUE(tokens.accept(Token{"submit", "alice", "one"}));
  EXPECT_FALSE(tokens.accept(Token{"admin", "alice", "one"}));
  EXPECT_FALSE(tokens.accept(Token{"submit", "bob", "one"}));
  EXPECT_FALSE(tokens.accept(Token{"submit", "alice", "two"}));
  EXPECT_FALSE(tokens.accept(std::nullopt));
  EXPECT_TRUE(Tokens().accept(std::nullopt));
  EXPECT_FALSE(Tokens().accept(Token{"submit", "alice", "one"}));
}

TEST(Tokens, AFileThatCannotBeMeantIsRefusedWithItsLine) {
  EXPECT_THAT(complaint(""), HasSubstr("no token"));
  EXPECT_THAT(complaint("# nothing\n\n"), HasSubstr("no token"));
  EXPECT_THAT(complaint("submit:one\nsumbit:two\n"), AllOf(HasSubstr("line 2 does not begin with a role"), Not(HasSubstr("sumbit"))));
  EXPECT_THAT(complaint("\nsubmit:\n"), HasSubstr("line 2 names the role submit but no token"));
  EXPECT_THAT(complaint("submit:one\ntwo\n"), HasSubstr("line 2: a token without a role"));
  EXPECT_THAT(complaint("one\nsubmit:two\n"), HasSubstr("line 2: a token without a role"));
  EXPECT_THAT(complaint(std::string(5000, 'x')), HasSubstr("longer"));
  EXPECT_THAT(complaint("submit:alice:\n"), HasSubstr("line 1 names the role submit but no token"));
  EXPECT_THAT(complaint("submit:alice:one:two\n"), HasSubstr("line 1 has too many colons"));
  for (const std::string name : {"", "al ice", "al/ice", "\xc3\xa4"}) {
    EXPECT_THAT(complaint("submit:" + name + ":one\n"), HasSubstr("line 1 has a name other than")) << name;
  }
  EXPECT_THAT(complaint("submit:" + std::string(65, 'a') + ":one\n"), HasSubstr("line 1 has a name other than"));
  EXPECT_THAT(complaint("submit:a:one\n\nadmin:b:one\n"), HasSubstr("line 3 has the same token as line 1"));
  EXPECT_THAT(complaint("submit:a:one\nadmin:a:two\n"), HasSubstr("line 2 has the same name as line 1"));
  EXPECT_THAT(complaint("submit:one\nsubmit:two\n"), HasSubstr("give each its own: ROLE:NAME:TOKEN"));
}

TEST(Tokens, NobodySeesATokenInAComplaint) {
  for (const char* text : {"secret-one\nsecret-two\n", "submit:secret:one:two\n", "submit:sec/ret:one\n",
                           "submit:secret\nadmin:secret\n"}) {
    EXPECT_THAT(complaint(text), testing::Not(HasSubstr("ret"))) << text;
  }
}

TEST(OwnToken, ComesFromAFileWithOrWithoutItsRole) {
  const test::TemporaryDirectory directory;
  const std::string file = directory / "token";
  for (const char* text : {"secret", "submit:secret\n", "submit:alice:secret\n", "# mine\n secret \n"}) {
    test::write_secret(file, text);
    const auto token = read_own_token(file);
    ASSERT_TRUE(token) << token.error().message;
    EXPECT_EQ(*token, "secret");
  }
  for (const char* text : {"", "submit:one\nworker:two\n", "nobody:one"}) {
    test::write_secret(file, text);
    const auto token = read_own_token(file);
    ASSERT_FALSE(token) << text;
    EXPECT_THAT(token.error().message, HasSubstr(file));
  }
  EXPECT_FALSE(read_own_token(directory / "missing"));
  EXPECT_FALSE(read_accepted_tokens(directory / "missing"));
}

TEST(OwnToken, FromAFileThatEverybodyCanReadIsRefused) {
  const test::TemporaryDirectory directory;
  const std::string file = directory / "token";
  test::write_secret(file, "secret");
  std::filesystem::permissions(file, std::filesystem::perms::others_read, std::filesystem::perm_options::add);
  const auto own = read_own_token(file);
  const auto accepted = read_accepted_tokens(file);
  ASSERT_FALSE(own);
  ASSERT_FALSE(accepted);
  const std::string expected = "everybody on this machine can read the token file '" + file + "'; run 'chmod 600 " + file + "'";
  EXPECT_EQ(own.error().message, expected);
  EXPECT_EQ(accepted.error().message, expected);
}

}  // namespace
}  // namespace ontime::net
