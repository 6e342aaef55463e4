-- wrk's own summary is prose; this line is for programs.
done = function(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  io.write(string.format('\n{"answered":%d,"seconds":%.6f,"failed":%d,"p50Ms":%.3f}\n',
    summary.requests, summary.duration / 1e6, failed, latency:percentile(50) / 1e3))
end
