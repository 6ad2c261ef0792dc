#include "settings.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "expand.hpp"

using conf::expand;
using conf::Settings;

TEST(Settings, ReadsKeysAndValues) {
    Settings settings;
    settings.load("# demo\nname = demo\n\n  colour=dark blue  \r\nempty =");
    EXPECT_EQ(settings.size(), 3u);
    EXPECT_EQ(settings.get_or("name", ""), "demo");
    EXPECT_EQ(settings.get_or("colour", "red"), "dark blue");
    EXPECT_EQ(settings.get_or("empty", "full"), "");
}

TEST(Settings, LaterLinesReplaceEarlierOnes) {
    Settings settings;
    settings.load("a = 1\na = 2\n");
    EXPECT_EQ(settings.get_or("a", ""), "2");
    settings.set("a", "three");
    EXPECT_EQ(settings.get_or("a", ""), "three");
    EXPECT_EQ(settings.size(), 1u);
}

TEST(Settings, RejectsLinesWithoutEqualsSign) {
    Settings settings;
    EXPECT_THROW(settings.load("a = 1\nnonsense\n"), std::invalid_argument);
}

TEST(Settings, ReadsWholeNumbers) {
    Settings settings;
    settings.load("width = -80\nheight = tall\n");
    EXPECT_EQ(settings.get_number("width", 1), -80);
    EXPECT_EQ(settings.get_number("height", 24), 24);
    EXPECT_EQ(settings.get_number("depth", 7), 7);
}

TEST(Settings, MissingKeyGivesTheFallback) {
    Settings settings;
    settings.load("name = demo\n");
    const auto cache = settings.get_or("cache", "/var/cache/demo/thumbnails/large");
    EXPECT_EQ(cache, "/var/cache/demo/thumbnails/large");
}

TEST(Expand, ReplacesKnownNames) {
    Settings settings;
    settings.load("user = kim\nhost = build-3.example\n");
    EXPECT_EQ(expand("${user}@${host:localhost}:22", settings), "kim@build-3.example:22");
}

TEST(Expand, LeavesOtherTextAlone) {
    const Settings settings;
    EXPECT_EQ(expand("", settings), "");
    EXPECT_EQ(expand("costs 5$ {net}", settings), "costs 5$ {net}");
    EXPECT_EQ(expand("open ${end", settings), "open ${end");
    EXPECT_EQ(expand("[${unknown}]", settings), "[]");
}

TEST(Expand, UsesTheFallbackOfAnUnknownName) {
    const Settings settings;
    EXPECT_EQ(expand("cd ${cache:/var/cache/demo/thumbnails/large} && ls", settings), "cd /var/cache/demo/thumbnails/large && ls");
}
