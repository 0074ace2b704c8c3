// Nobody includes this one: what it defines is another thing.
constexpr uint32_t kPage = 4096;
