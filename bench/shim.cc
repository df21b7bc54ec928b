// Google Benchmark behind plain C functions; see shim.h.
#include "shim.h"

#include <benchmark/benchmark.h>

#include <chrono>
#include <map>
#include <string>
#include <sys/resource.h>
#include <thread>
#include <vector>

namespace
{

struct entry {
    std::string name;
    void (*run)(void *);
    void *user;
    int64_t preempted;
};

std::vector<entry *> entries;
std::chrono::duration<double> pause_of_all;

int64_t
preemptions()
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nivcsw;
}

void
run_entry(benchmark::State &state, entry *e)
{
    e->run(e->user);
    std::this_thread::sleep_for(pause_of_all);
    const int64_t before = preemptions();
    for (auto _ : state)
        e->run(e->user);
    e->preempted = preemptions() - before;
}

// Collects times by name and prints nothing.
class collector : public benchmark::BenchmarkReporter
{
  public:
    bool ReportContext(const Context &) override
    {
        return true;
    }
    void ReportRuns(const std::vector<Run> &runs) override
    {
        for (const Run &run : runs)
            if (run.run_type == Run::RT_Iteration && run.iterations > 0)
                seconds[run.run_name.function_name] =
                    run.real_accumulated_time / static_cast<double>(run.iterations);
    }
    std::map<std::string, double> seconds;
};

} // namespace

void
shim_start(double pause)
{
    pause_of_all = std::chrono::duration<double>(pause);
    char name[] = "bench", shuffle[] = "--benchmark_enable_random_interleaving=true";
    char *argv[] = {name, shuffle, nullptr};
    int argc = 2;

    benchmark::Initialize(&argc, argv);
}

void
shim_register(const char *name, void (*run)(void *), void *user, int64_t batch)
{
    entry *e = new entry{std::to_string(entries.size()) + ":" + name, run, user, 0};

    entries.push_back(e);
    benchmark::RegisterBenchmark(e->name.c_str(), run_entry, e)
        ->Iterations(batch)
        ->UseRealTime();
}

void
shim_round(double *seconds, int64_t *preempted)
{
    collector times;

    benchmark::RunSpecifiedBenchmarks(&times, ".*");
    for (size_t k = 0; k < entries.size(); k++) {
        const auto found = times.seconds.find(entries[k]->name);

        seconds[k] = found == times.seconds.end() ? 0.0 : found->second;
        preempted[k] = entries[k]->preempted;
    }
}

void
shim_clear(void)
{
    benchmark::ClearRegisteredBenchmarks();
    for (entry *e : entries)
        delete e;
    entries.clear();
}
