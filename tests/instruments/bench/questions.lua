-- Asks the targets of a file, a line each, one after the other. wrk gives every thread its own copy.
local targets, at = {}, 0
for line in io.lines(os.getenv("TARGETS")) do targets[#targets + 1] = line end

function request()
  at = at % #targets + 1
  return wrk.format("GET", targets[at])
end
